import { Combobox } from '../../../../ui/kit/combobox.tsx'
import type { ComboboxOption, OptionSource } from '../../../../ui/kit/combobox-options.ts'
import { ChosenList } from '../../base/chosen-list.tsx'

interface ChosenOptionsProps {
  label: string
  add: string
  chosen: readonly ComboboxOption[]
  options: OptionSource
  error?: string | undefined
  hint?: string
  onChange: (chosen: ComboboxOption[]) => void
}

/** Several options of a list, searched and added one by one. */
export function ChosenOptions(props: ChosenOptionsProps) {
  const { label, add, chosen, options, error, hint, onChange } = props
  return (
    <div className="field">
      <strong>{label}</strong>
      <ChosenList
        chosen={chosen}
        onRemove={(removed) => onChange(chosen.filter(({ id }) => id !== removed))}
      />
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
