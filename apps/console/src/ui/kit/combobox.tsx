import { useLingui } from '@lingui/react/macro'
import { ChevronsUpDown } from 'lucide-react'
import { withTexts } from '../i18n/locale.ts'
import type { ComboboxOption, OptionSource } from './combobox-options.ts'
import styles from './combobox.module.css'
import { loadable } from './loadable.ts'
import { PopoverButton, type ButtonProps } from './popover-button.tsx'

interface ComboboxProps {
  /** Labels the field for screen readers; a visible `<label>` uses the same words. */
  label: string
  value: ComboboxOption | null
  /** `null` when the reader clears the choice. */
  onChange: (option: ComboboxOption | null) => void
  /** A search function must keep its identity between renders. */
  options: OptionSource
  placeholder?: string
  /** Offers an option to choose nothing. */
  isClearable?: boolean
  button?: ButtonProps
}

/** Links the button to its label and to its error message, whose ID is `…-error`. */
export const invalidButton = (id: string, error: string | undefined): ButtonProps => ({
  id,
  'aria-invalid': error ? true : undefined,
  'aria-describedby': error ? `${id}-error` : undefined,
})

const panel = loadable(
  withTexts(() => import('./combobox-panel.tsx').then((module) => module.ComboboxPanel)),
)

/** Chooses one of many: a button that shows the choice and opens a searchable list. */
export function Combobox(props: ComboboxProps) {
  const { t } = useLingui()
  const { label, value, onChange, options, isClearable = false, button } = props
  const choice = value?.label ?? props.placeholder ?? t`Choose`
  return (
    <PopoverButton
      source={panel}
      popup="listbox"
      button={{
        ...button,
        className: `input ${styles.button}`,
        'aria-label': `${label}: ${choice}`,
      }}
      panelProps={{ label, value, options, isClearable, onChange }}
    >
      <span className={value ? styles.choice : `${styles.choice} muted`}>{choice}</span>
      <ChevronsUpDown size={14} aria-hidden />
    </PopoverButton>
  )
}
