import { useState } from 'react'
import styles from './check-list.module.css'

interface CheckListProps {
  label: string
  options: readonly { value: string; label: string }[]
  selected: readonly string[]
  onChange: (selected: string[]) => void
}

/** Boxes to tick, for a popover; the order of the options is kept. */
export function CheckList({ label, options, selected, onChange }: CheckListProps) {
  // What is ticked comes back by way of the address, too late for a second tick that is quick.
  const given = selected.join()
  const [{ ticked, was }, setTicked] = useState({ ticked: selected, was: given })
  if (was !== given) setTicked({ ticked: selected, was: given })

  return (
    <fieldset className={styles.list}>
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="checkbox"
            checked={ticked.includes(option.value)}
            onChange={(event) => {
              const isIn = ({ value }: { value: string }) =>
                value === option.value ? event.target.checked : ticked.includes(value)
              const next = options.filter(isIn).map(({ value }) => value)
              setTicked({ ticked: next, was })
              onChange(next)
            }}
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  )
}
