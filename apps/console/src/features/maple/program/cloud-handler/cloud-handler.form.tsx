import type { CloudHandler, OpenCloudHandler } from '@grove/contract/maple/program/cloud-handler'
import { handlerNameLimit } from '@grove/contract/maple/program/handler.rules'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../../../session/api.ts'
import { FormDialog } from '../../../../ui/dialog/form-dialog.tsx'
import { checkFields, Fields, type FormFields } from '../../../../ui/form/fields.tsx'
import { useNameProblem } from '../../../../ui/form/name-problem.ts'
import { useForm } from '../../../../ui/form/use-form.ts'
import { CreateItem, type NewItem } from '../../../../ui/panel/create-item.tsx'
import { notify } from '../../../../ui/toast/notify.ts'
import { handlers, onePath, path, refreshHandler } from './cloud-handler.api.ts'
import { firstCode } from './first-code.ts'
import { newValues, programOf, type HandlerValues } from './handler-values.ts'
import { TriggerFields } from './trigger-fields.tsx'
import { fieldOf, useValuesCheck } from './use-values-check.ts'

/** Names a handler and says what starts it; the code is written on its page. */
export function CreateHandler(panel: NewItem) {
  const { t } = useLingui()
  const check = useValuesCheck()
  return (
    <CreateItem<HandlerValues & { name: string }, CloudHandler>
      {...panel}
      items={handlers}
      title={t`New cloud handler`}
      submitLabel={t`Create`}
      savedText={() => t`The handler was created as a draft. Write its code and deploy it.`}
      fields={useNameField()}
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
  const fields = useNameField()
  const form = useForm<{ name: string }, OpenCloudHandler>({
    values: { name },
    check: (values) => checkFields(fields, values),
    submit: (body) => api.maple.put(onePath, { params: { id }, body }),
    onSaved: (saved) => {
      void refreshHandler(saved)
      notify({ text: t`Saved.` })
      onClose()
    },
    needsChange: true,
  })
  return (
    <FormDialog title={t`Rename the handler`} form={form} submitLabel={t`Save`} onClose={onClose}>
      <Fields form={form} fields={fields} />
    </FormDialog>
  )
}

function useNameField() {
  const { t } = useLingui()
  const nameProblem = useNameProblem()
  return {
    name: {
      label: t`Name`,
      maxLength: handlerNameLimit,
      autoComplete: 'off',
      problemOf: (text) => nameProblem(text),
    },
  } satisfies FormFields<{ name: string }>
}
