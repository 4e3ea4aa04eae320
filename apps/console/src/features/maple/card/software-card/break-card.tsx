import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import type { FaultName } from '@grove/contract/maple/card/software-card.rules'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../../../session/api.ts'
import { ChangeDialog } from '../../../../ui/dialog/change-dialog.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import {
  FaultFields,
  faultOf,
  firstFault,
  useFaultCheck,
  type FaultValues,
} from '../faults/fault-fields.tsx'
import { useFaultWords } from '../faults/fault.labels.ts'
import { cards, path } from './software-card.api.ts'

/** Adds one deliberate fault to a card; other faults stay. */
export function BreakCard({ card, onClose }: { card: SoftwareCard; onClose: () => void }) {
  const { t } = useLingui()
  const words = useFaultWords()
  const check = useFaultCheck()
  const names = Object.fromEntries(
    Object.entries(words).map(([key, { name }]) => [key, name]),
  ) as Record<FaultName, string>
  return (
    <ChangeDialog<FaultValues, SoftwareCard>
      title={t`Break the card on purpose`}
      submitLabel={t`Break the card`}
      form={{
        values: firstFault,
        check,
        submit: (values) =>
          api.maple.put(path, {
            query: { id: card.id },
            ifMatch: card.revision,
            body: { faults: { ...card.faults, ...faultOf(values) } },
          }),
      }}
      done={() => t`The card is broken. The next command will hit the fault.`}
      refresh={cards.refresh}
      onClose={onClose}
    >
      {(form) => (
        <>
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
        </>
      )}
    </ChangeDialog>
  )
}
