import { useId } from 'react'
import { dash } from '../i18n/moment-text.ts'

interface SelectFieldProps<Value extends string> {
  label: string
  value: Value
  /** The values and their labels, in order. */
  words: Partial<Record<Value, string>>
  onChange: (value: Value) => void
}

/** A choice of one among few. */
export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { label, value, words, onChange } = props
  const id = useId()
  const values = Object.keys(words) as Value[]
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className="select"
        value={value}
        onChange={({ target }) => onChange(target.value as Value)}
      >
        {/* A third-party service may not send it. */}
        {!(value in words) && <option value={value}>{value || dash}</option>}
        {values.map((each) => (
          <option key={each} value={each}>
            {words[each]}
          </option>
        ))}
      </select>
    </div>
  )
}
