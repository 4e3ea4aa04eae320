import { useId, useState } from 'react'
import styles from './check-list.module.css'

interface CheckListProps {
  label: string
  options: readonly { value: string; label: string }[]
  selected: readonly string[]
  onChange: (selected: string[]) => void
  /** At most one of them. */
  isSingle?: boolean
  /** Shows the label above the options. */
  hasHeading?: boolean
}

/** Checkboxes for a popover; the order of the options is kept. */
export function CheckList(props: CheckListProps) {
  const { label, options, selected, onChange, isSingle = false, hasHeading = false } = props
  const name = useId()
  // A local copy: the URL updates too late for two quick clicks.
  const given = selected.join()
  const [{ ticked, was }, setTicked] = useState({ ticked: selected, was: given })
  if (was !== given) setTicked({ ticked: selected, was: given })

  const choose = (chosen: string, isChecked: boolean) => {
    const isIn = ({ value }: { value: string }) =>
      value === chosen ? isChecked : !isSingle && ticked.includes(value)
    const next = options.filter(isIn).map(({ value }) => value)
    setTicked({ ticked: next, was })
    onChange(next)
  }

  return (
    <fieldset className={styles.list}>
      <legend className={hasHeading ? styles.heading : 'visually-hidden'}>{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type={isSingle ? 'radio' : 'checkbox'}
            name={isSingle ? name : undefined}
            checked={ticked.includes(option.value)}
            onChange={(event) => choose(option.value, event.target.checked)}
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  )
}
