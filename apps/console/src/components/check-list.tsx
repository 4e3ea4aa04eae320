import styles from './check-list.module.css'

interface CheckListProps {
  label: string
  options: readonly { value: string; label: string }[]
  selected: readonly string[]
  onChange: (selected: string[]) => void
}

/** Boxes to tick, for a popover; the order of the options is kept. */
export const CheckList = ({ label, options, selected, onChange }: CheckListProps) => (
  <fieldset className={styles.list}>
    <legend className="visually-hidden">{label}</legend>
    {options.map((option) => (
      <label key={option.value}>
        <input
          type="checkbox"
          checked={selected.includes(option.value)}
          onChange={(event) => {
            const isIn = ({ value }: { value: string }) =>
              value === option.value ? event.target.checked : selected.includes(value)
            onChange(options.filter(isIn).map(({ value }) => value))
          }}
        />
        {option.label}
      </label>
    ))}
  </fieldset>
)
