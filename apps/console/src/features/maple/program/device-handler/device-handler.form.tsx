import type { DeviceHandler } from '@grove/contract/maple/program/device-handler'
import {
  maxDeviceHandlerNameLength,
  maxDeviceHandlerNoteLength,
} from '@grove/contract/maple/program/device-handler.rules'
import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../../../session/api.ts'
import { ChangeDialog } from '../../../../ui/dialog/change-dialog.tsx'
import { type FormFields } from '../../../../ui/form/fields.tsx'
import { useNameField } from '../../../../ui/form/name-problem.ts'
import { CreateItem, type NewItem } from '../../../../ui/panel/create-item.tsx'
import { deviceHandlers, path, refreshHandler } from './device-handler.api.ts'
import { firstCode } from './first-code.ts'

interface HandlerValues {
  name: string
  note: string
}

/** A new handler with starter code; its page opens. */
export function CreateHandler({ onClose }: NewItem) {
  const { t } = useLingui()
  const navigate = useNavigate()
  return (
    <CreateItem<HandlerValues, DeviceHandler>
      onClose={onClose}
      onCreated={(id) =>
        void navigate({ to: '/dashboard/maple/device_handlers/$id', params: { id } })
      }
      items={{ list: deviceHandlers.list, refresh: () => refreshHandler() }}
      title={t`New device handler`}
      submitLabel={t`Create`}
      savedText={({ name }) => t`${name} is created.`}
      fields={useHandlerFields()}
      form={{
        values: { name: '', note: '' },
        submit: (values) => api.maple.post(path, { body: { ...values, code: firstCode } }),
      }}
    />
  )
}

interface RenameHandlerProps {
  handler: DeviceHandler
  onClose: () => void
}

/** The name and the note of a handler. */
export function RenameHandler({ handler, onClose }: RenameHandlerProps) {
  const { t } = useLingui()
  const { id, name, note } = handler
  return (
    <ChangeDialog
      title={t`Name and note`}
      submitLabel={t`Save`}
      fields={useHandlerFields()}
      form={{
        values: { name, note },
        submit: (body) => api.maple.put(`${path}/{id}`, { params: { id }, body }),
        needsChange: true,
      }}
      done={() => t`Saved.`}
      refresh={refreshHandler}
      onClose={onClose}
    />
  )
}

function useHandlerFields() {
  const { t } = useLingui()
  return {
    name: useNameField(maxDeviceHandlerNameLength),
    note: {
      label: t`Note (optional)`,
      hint: t`Its devices`,
      maxLength: maxDeviceHandlerNoteLength,
      autoComplete: 'off',
    },
  } satisfies FormFields<HandlerValues>
}
