import { useLingui } from '@lingui/react/macro'
import { useId, useState } from 'react'
import { Combobox } from '../../../ui/kit/combobox.tsx'
import type { ComboboxOption, OptionSource } from '../../../ui/kit/combobox-options.ts'

export interface ChoiceProps {
  label: string
  value: string
  /** Shown instead of the value, if the page has it. */
  name?: string | undefined
  options: OptionSource
  error: string | undefined
  hint?: string
  onChange: (id: string) => void
}

/** Chooses one object of a list by search; the choice can be cleared. */
export function Choice({ label, value, name, options, error, hint, onChange }: ChoiceProps) {
  const { t } = useLingui()
  const id = useId()
  const [chosen, setChosen] = useState<ComboboxOption | null>(null)
  const known = chosen?.id === value ? chosen.label : value
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <Combobox
        label={label}
        value={value === '' ? null : { id: value, label: name ?? known }}
        options={options}
        placeholder={t`None`}
        isClearable
        onChange={(option) => {
          setChosen(option)
          onChange(option?.id ?? '')
        }}
        button={{
          id,
          'aria-invalid': error ? true : undefined,
          'aria-describedby': error ? `${id}-error` : hint ? `${id}-hint` : undefined,
        }}
      />
      {hint && (
        <div id={`${id}-hint`} className="field-hint">
          {hint}
        </div>
      )}
      {error && (
        <div id={`${id}-error`} className="field-error">
          {error}
        </div>
      )}
    </div>
  )
}
