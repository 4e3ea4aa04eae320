import type { CardFaults, SoftwareCard } from '@grove/contract'
import {
  isStatusWordText,
  latestPowerCut,
  longestDelay,
  type FaultName,
} from '@grove/contract/maple/software-card.rules'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../../session/api.ts'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { Field } from '../../../ui/field/field.tsx'
import { SelectField } from '../../../ui/field/select-field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { notify } from '../../../ui/toast/notify.ts'
import { cards, path } from './software-card.api.ts'
import { instructions, useFaultWords } from './software-card.labels.tsx'

interface BreakValues {
  fault: FaultName
  write: string
  instruction: string
  statusWord: string
  delay: string
}

const faultOf = ({ fault, write, instruction, statusWord, delay }: BreakValues): CardFaults => {
  if (fault === 'powerCutBeforeWrite') return { powerCutBeforeWrite: Number(write) }
  if (fault === 'wrongStatusWord') return { wrongStatusWord: { instruction, statusWord } }
  return fault === 'delay' ? { delay: Number(delay) } : { [fault]: true }
}

const isWhole = (text: string, most: number) =>
  /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= most

/** Breaks a card on purpose, in one way; other faults stay. */
export function BreakCard({ card, onClose }: { card: SoftwareCard; onClose: () => void }) {
  const { t } = useLingui()
  const words = useFaultWords()
  const form = useForm<BreakValues, SoftwareCard>({
    values: {
      fault: 'wrongStatusWord',
      write: '1',
      instruction: 'E6',
      statusWord: '6A84',
      delay: '500',
    },
    check: ({ fault, write, statusWord, delay }) => {
      if (fault === 'powerCutBeforeWrite' && !isWhole(write, latestPowerCut))
        return { write: t`Enter a number from 1 to ${latestPowerCut}.` }
      if (fault === 'wrongStatusWord' && !isStatusWordText(statusWord))
        return { statusWord: t`Enter four hex digits that begin with 6 or 9, such as 6A84.` }
      if (fault === 'delay' && !isWhole(delay, longestDelay))
        return { delay: t`Enter a number from 1 to ${longestDelay}.` }
      return {}
    },
    submit: (values) =>
      api.maple.put(path, {
        query: { id: card.id },
        ifMatch: card.revision,
        body: { faults: { ...card.faults, ...faultOf(values) } },
      }),
    onSaved: (saved) => {
      void cards.refresh(saved)
      notify({ text: t`The card is broken. The next command meets the fault.` })
      onClose()
    },
  })
  const { fault, instruction } = form.values
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
        value={fault}
        words={names}
        onChange={(next) => form.set({ fault: next })}
      />
      <p className="muted">{words[fault].lesson}</p>
      {fault === 'powerCutBeforeWrite' && (
        <Field
          label={t`Before write number`}
          hint={t`Writes are counted from now, over all sessions.`}
          inputMode="numeric"
          {...form.input('write')}
        />
      )}
      {fault === 'wrongStatusWord' && (
        <>
          <SelectField
            label={t`Command`}
            value={instruction}
            words={instructions}
            onChange={(next) => form.set({ instruction: next })}
          />
          <Field label={t`Status word`} spellCheck={false} {...form.input('statusWord')} />
        </>
      )}
      {fault === 'delay' && (
        <Field label={t`Milliseconds`} inputMode="numeric" {...form.input('delay')} />
      )}
    </FormDialog>
  )
}
