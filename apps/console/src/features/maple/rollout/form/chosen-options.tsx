import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import { Combobox } from '../../../../ui/kit/combobox.tsx'
import type { ComboboxOption, OptionSource } from '../../../../ui/kit/combobox-options.ts'
import styles from './form.module.css'

interface ChosenOptionsProps {
  label: string
  add: string
  chosen: readonly ComboboxOption[]
  options: OptionSource
  error?: string | undefined
  hint?: string
  onChange: (chosen: ComboboxOption[]) => void
}

/** Several of a list, searched and added one by one. */
export function ChosenOptions(props: ChosenOptionsProps) {
  const { label, add, chosen, options, error, hint, onChange } = props
  const { t } = useLingui()
  return (
    <div className="field">
      <strong>{label}</strong>
      {chosen.length > 0 && (
        <ul className={styles.chosen}>
          {chosen.map((option) => (
            <li key={option.id}>
              <bdi>{option.label}</bdi>
              <button
                type="button"
                aria-label={t`Remove ${option.label}`}
                onClick={() => onChange(chosen.filter(({ id }) => id !== option.id))}
              >
                <X size={14} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      <Combobox
        label={add}
        placeholder={add}
        value={null}
        options={options}
        onChange={(option) => {
          if (option && chosen.every(({ id }) => id !== option.id)) onChange([...chosen, option])
        }}
      />
      {hint && <div className="field-hint">{hint}</div>}
      {error && <div className="field-error">{error}</div>}
    </div>
  )
}
