import type { ComponentProps } from 'react'
import { Combobox } from '../../../ui/kit/combobox.tsx'
import styles from './filter-choice.module.css'

interface FilterChoiceProps {
  label: string
  /** What the field says while nothing is chosen. */
  any: string
  value: string | undefined
  /** In place of the value, where the page has it. */
  name?: string | null | undefined
  options: ComponentProps<typeof Combobox>['options']
  onChange: (value: string | undefined) => void
}

/** A filter whose values are too many for a menu: one finds them by typing. */
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
