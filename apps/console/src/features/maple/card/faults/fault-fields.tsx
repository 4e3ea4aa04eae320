import type { CardFaults } from '@grove/contract/maple/card/software-card'
import {
  isStatusWordText,
  latestPowerCut,
  maxDelay,
  type FaultName,
} from '@grove/contract/maple/card/software-card.rules'
import { useLingui } from '@lingui/react/macro'
import { Field } from '../../../../ui/field/field.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import type { FieldTexts } from '../../../../ui/form/form-values.ts'
import { instructions, useFaultWords } from './fault.labels.ts'

/** A fault in the form: each kind keeps what was typed. */
export interface FaultValues {
  fault: FaultName
  write: string
  instruction: string
  statusWord: string
  delay: string
}

export const firstFault: FaultValues = {
  fault: 'wrongStatusWord',
  write: '1',
  instruction: 'E6',
  statusWord: '6A84',
  delay: '500',
}

export function faultOf({ fault, write, instruction, statusWord, delay }: FaultValues): CardFaults {
  if (fault === 'powerCutBeforeWrite') return { powerCutBeforeWrite: Number(write) }
  if (fault === 'wrongStatusWord') return { wrongStatusWord: { instruction, statusWord } }
  return fault === 'delay' ? { delay: Number(delay) } : { [fault]: true }
}

const isWhole = (text: string, most: number) =>
  /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= most

export function useFaultCheck() {
  const { t } = useLingui()
  return ({ fault, write, statusWord, delay }: FaultValues): FieldTexts => {
    if (fault === 'powerCutBeforeWrite' && !isWhole(write, latestPowerCut))
      return { write: t`Enter a number from 1 to ${latestPowerCut}.` }
    if (fault === 'wrongStatusWord' && !isStatusWordText(statusWord))
      return { statusWord: t`Enter four hex digits that begin with 6 or 9, such as 6A84.` }
    if (fault === 'delay' && !isWhole(delay, maxDelay))
      return { delay: t`Enter a number from 1 to ${maxDelay}.` }
    return {}
  }
}

interface FaultFieldsProps {
  values: FaultValues
  errors: FieldTexts
  /** The starting point of the count, for a power cut. */
  writesHint: string
  onChange: (change: Partial<FaultValues>) => void
}

/** Chooses a fault by what it teaches, and its details. */
export function FaultFields({ values, errors, writesHint, onChange }: FaultFieldsProps) {
  const { t } = useLingui()
  const words = useFaultWords()
  const { fault, instruction } = values
  const input = (name: 'write' | 'statusWord' | 'delay') => ({
    name,
    value: values[name],
    error: errors[name],
    onChange: ({ target }: { target: { value: string } }) => onChange({ [name]: target.value }),
  })
  return (
    <>
      <p className="muted">{words[fault].lesson}</p>
      {fault === 'powerCutBeforeWrite' && (
        <Field
          label={t`Before write number`}
          hint={writesHint}
          inputMode="numeric"
          {...input('write')}
        />
      )}
      {fault === 'wrongStatusWord' && (
        <>
          <SelectField
            label={t`Command`}
            value={instruction}
            words={instructions}
            onChange={(next) => onChange({ instruction: next })}
          />
          <Field label={t`Status word`} spellCheck={false} {...input('statusWord')} />
        </>
      )}
      {fault === 'delay' && (
        <Field label={t`Milliseconds`} inputMode="numeric" {...input('delay')} />
      )}
    </>
  )
}
