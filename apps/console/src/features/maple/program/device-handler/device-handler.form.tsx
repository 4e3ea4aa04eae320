import type { DeviceHandler } from '@grove/contract/maple/program/device-handler'
import {
  maxDeviceHandlerNameLength,
  maxDeviceHandlerNoteLength,
} from '@grove/contract/maple/program/device-handler.rules'
import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../../../session/api.ts'
import { FormDialog } from '../../../../ui/dialog/form-dialog.tsx'
import { checkFields, Fields, type FormFields } from '../../../../ui/form/fields.tsx'
import { useNameProblem } from '../../../../ui/form/name-problem.ts'
import { useForm } from '../../../../ui/form/use-form.ts'
import { CreateItem, type NewItem } from '../../../../ui/panel/create-item.tsx'
import { notify } from '../../../../ui/toast/notify.ts'
import { deviceHandlers, path, refreshHandler } from './device-handler.api.ts'
import { firstCode } from './first-code.ts'

interface HandlerValues {
  name: string
  note: string
}

/** A new handler with code to begin with; its page opens. */
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
      title={t`Create a device handler`}
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

/** The name and the note of a handler. */
export function RenameHandler({
  handler,
  onClose,
}: {
  handler: DeviceHandler
  onClose: () => void
}) {
  const { t } = useLingui()
  const fields = useHandlerFields()
  const form = useForm<HandlerValues, DeviceHandler>({
    values: { name: handler.name, note: handler.note },
    check: (values) => checkFields(fields, values),
    submit: (body) => api.maple.put(`${path}/{id}`, { params: { id: handler.id }, body }),
    onSaved: (saved) => {
      void refreshHandler(saved)
      notify({ text: t`Saved.` })
      onClose()
    },
    needsChange: true,
  })
  return (
    <FormDialog title={t`Name and note`} form={form} submitLabel={t`Save`} onClose={onClose}>
      <Fields form={form} fields={fields} />
    </FormDialog>
  )
}

function useHandlerFields() {
  const { t } = useLingui()
  const nameProblem = useNameProblem()
  return {
    name: {
      label: t`Name`,
      maxLength: maxDeviceHandlerNameLength,
      autoComplete: 'off',
      problemOf: (text) => nameProblem(text),
    },
    note: {
      label: t`Note (optional)`,
      hint: t`Its devices`,
      maxLength: maxDeviceHandlerNoteLength,
      autoComplete: 'off',
    },
  } satisfies FormFields<HandlerValues>
}
