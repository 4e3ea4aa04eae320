import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import type { FaultName } from '@grove/contract/maple/card/software-card.rules'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../../../session/api.ts'
import { FormDialog } from '../../../../ui/dialog/form-dialog.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { useForm } from '../../../../ui/form/use-form.ts'
import { notify } from '../../../../ui/toast/notify.ts'
import {
  FaultFields,
  faultOf,
  firstFault,
  useFaultCheck,
  type FaultValues,
} from '../faults/fault-fields.tsx'
import { useFaultWords } from '../faults/fault.labels.ts'
import { cards, path } from './software-card.api.ts'

/** Breaks a card on purpose, in one way; other faults stay. */
export function BreakCard({ card, onClose }: { card: SoftwareCard; onClose: () => void }) {
  const { t } = useLingui()
  const words = useFaultWords()
  const check = useFaultCheck()
  const form = useForm<FaultValues, SoftwareCard>({
    values: firstFault,
    check,
    submit: (values) =>
      api.maple.put(path, {
        query: { id: card.id },
        ifMatch: card.revision,
        body: { faults: { ...card.faults, ...faultOf(values) } },
      }),
    onSaved: (saved) => {
      void cards.refresh(saved)
      notify({ text: t`The card is broken. The next command will hit the fault.` })
      onClose()
    },
  })
  const names = Object.fromEntries(
    Object.entries(words).map(([key, { name }]) => [key, name]),
  ) as Record<FaultName, string>
  return (
    <FormDialog
      title={t`Break the card on purpose`}
      form={form}
      submitLabel={t`Break the card`}
      onClose={onClose}
    >
      <SelectField
        label={t`Fault`}
        value={form.values.fault}
        words={names}
        onChange={(next) => form.set({ fault: next })}
      />
      <FaultFields
        values={form.values}
        errors={form.errors}
        writesHint={t`Writes are counted from now on, across all sessions.`}
        onChange={(change) => form.set(change)}
      />
    </FormDialog>
  )
}
