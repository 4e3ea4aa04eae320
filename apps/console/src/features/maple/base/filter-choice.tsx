import type { ComponentProps } from 'react'
import { Combobox } from '../../../ui/kit/combobox.tsx'
import styles from './filter-choice.module.css'

interface FilterChoiceProps {
  label: string
  /** The field's text while nothing is chosen. */
  any: string
  value: string | undefined
  /** Shown instead of the value, if the page has it. */
  name?: string | null | undefined
  options: ComponentProps<typeof Combobox>['options']
  onChange: (value: string | undefined) => void
}

/** A filter with too many values for a menu: they are found by typing. */
export const FilterChoice = ({ label, any, value, name, options, onChange }: FilterChoiceProps) => (
  <span className={styles.choice}>
    <Combobox
      label={label}
      value={value === undefined ? null : { id: value, label: name ?? value }}
      placeholder={any}
      options={options}
      isClearable
      onChange={(option) => onChange(option?.id)}
    />
  </span>
)
