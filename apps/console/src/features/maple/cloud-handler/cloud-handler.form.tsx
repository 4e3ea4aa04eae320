import type { CloudHandler } from '@grove/contract'
import { handlerNameLimit } from '@grove/contract/maple/handler.rules'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../../session/api.ts'
import { useNameProblem } from '../../../ui/form/name-problem.ts'
import { CreateItem, type NewItem } from '../../../ui/panel/create-item.tsx'
import { handlers, path } from './cloud-handler.api.ts'
import { firstCode } from './first-code.ts'
import { newValues, programOf, type HandlerValues } from './handler-values.ts'
import { TriggerFields } from './trigger-fields.tsx'
import { fieldOf, useValuesCheck } from './use-values-check.ts'

/** Names a handler and says what starts it; the code is written on its page. */
export function CreateHandler(panel: NewItem) {
  const { t } = useLingui()
  const nameProblem = useNameProblem()
  const check = useValuesCheck()
  return (
    <CreateItem<HandlerValues & { name: string }, CloudHandler>
      {...panel}
      items={handlers}
      title={t`New cloud handler`}
      submitLabel={t`Create`}
      savedText={() => t`The handler is a draft now. Write its code and deploy it.`}
      fields={{
        name: {
          label: t`Name`,
          maxLength: handlerNameLimit,
          autoComplete: 'off',
          problemOf: (text) => nameProblem(text),
        },
      }}
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
