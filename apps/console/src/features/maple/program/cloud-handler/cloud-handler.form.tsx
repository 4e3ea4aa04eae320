import type { CloudHandler, OpenCloudHandler } from '@grove/contract/maple/program/cloud-handler'
import { handlerNameLimit } from '@grove/contract/maple/program/handler.rules'
import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../../../session/api.ts'
import { ChangeDialog } from '../../../../ui/dialog/change-dialog.tsx'
import { useNameField } from '../../../../ui/form/name-problem.ts'
import { CreateItem, type NewItem } from '../../../../ui/panel/create-item.tsx'
import { handlers, onePath, path, refreshHandler } from './cloud-handler.api.ts'
import { firstCode } from './first-code.ts'
import { newValues, programOf, type HandlerValues } from './handler-values.ts'
import { TriggerFields } from './trigger-fields.tsx'
import { fieldOf, useValuesCheck } from './use-values-check.ts'

/** Names a handler and its trigger; then its page opens, where the code is written. */
export function CreateHandler({ onClose }: NewItem) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const check = useValuesCheck()
  return (
    <CreateItem<HandlerValues & { name: string }, CloudHandler>
      onClose={onClose}
      onCreated={(id) =>
        void navigate({ to: '/dashboard/maple/cloud_handlers/$id', params: { id } })
      }
      items={handlers}
      title={t`New cloud handler`}
      submitLabel={t`Create`}
      savedText={() => t`The handler was created as a draft. Write its code and publish it.`}
      fields={{ name: useNameField(handlerNameLimit) }}
      form={{
        values: { ...newValues(), name: '' },
        check,
        fieldOf,
        submit: ({ name, ...values }) =>
          api.maple.post(path, {
            body: { name, ...programOf(values), code: firstCode[values.type] },
          }),
      }}
    >
      {(form) => <TriggerFields form={form} />}
    </CreateItem>
  )
}

interface RenameHandlerProps {
  handler: OpenCloudHandler
  onClose: () => void
}

export function RenameHandler({ handler: { id, name }, onClose }: RenameHandlerProps) {
  const { t } = useLingui()
  return (
    <ChangeDialog
      title={t`Rename the handler`}
      submitLabel={t`Save`}
      fields={{ name: useNameField(handlerNameLimit) }}
      form={{
        values: { name },
        submit: (body) => api.maple.put(onePath, { params: { id }, body }),
        needsChange: true,
      }}
      done={() => t`Saved.`}
      refresh={refreshHandler}
      onClose={onClose}
    />
  )
}
