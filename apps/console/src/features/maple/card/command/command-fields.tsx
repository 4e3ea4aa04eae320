import type {
  CommandField,
  CommandFields as CommandFieldTable,
} from '@grove/secure-element/host/command-kinds'
import { privilegeNames } from '@grove/secure-element/privileges'
import { useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import { Field } from '../../../../ui/field/field.tsx'
import { codeField } from '../../../../ui/form/fields.tsx'
import { termText } from '../../base/decode/meaning-text.ts'
import type { CommandInput } from './command-input.ts'
import { choiceLabels, fieldLabels } from './command.labels.ts'
import styles from './command.module.css'

interface CommandFieldsProps {
  fields: CommandFieldTable
  /** The names of the fields relevant to the choices made. */
  shown: readonly string[]
  /** The names of those that are required. */
  needed: readonly string[]
  input: CommandInput
  onInput: (change: CommandInput) => void
  /** Errors by field name. */
  problems: Readonly<Record<string, string | undefined>>
  /** An extra value for every choice: a parameter that is filled in later. */
  placeholders?: readonly string[]
}

/** The parameters of a command. */
export function CommandFields(props: CommandFieldsProps) {
  const { fields, shown, needed, input, onInput, problems, placeholders = [] } = props
  if (shown.length === 0) return null
  return (
    <div className={styles.fields}>
      {shown.map((name) => {
        const field = fields[name]
        return (
          field && (
            <OneField
              key={name}
              name={name}
              field={field}
              isNeeded={needed.includes(name)}
              value={input[name] ?? ''}
              error={problems[name]}
              placeholders={placeholders}
              onChange={(value) => onInput({ [name]: value })}
            />
          )
        )
      })}
    </div>
  )
}

interface OneFieldProps {
  name: string
  field: CommandField
  isNeeded: boolean
  value: string | boolean | readonly string[]
  error: string | undefined
  placeholders: readonly string[]
  onChange: (value: string | boolean | readonly string[]) => void
}

function OneField(props: OneFieldProps) {
  const { name, field, isNeeded, value, error, placeholders, onChange } = props
  const { i18n, t } = useLingui()
  const id = useId()
  const label = textOf(fieldLabels[name], name)
  if (field.type === 'flag')
    return (
      <label className={styles.flag}>
        <input
          type="checkbox"
          checked={value === true}
          onChange={({ target }) => onChange(target.checked)}
        />
        {label}
      </label>
    )
  if (field.type === 'choice')
    return (
      <div className="field">
        <label htmlFor={id}>{label}</label>
        <select
          id={id}
          className="select"
          value={String(value)}
          onChange={({ target }) => onChange(target.value)}
        >
          {field.choices.map((choice) => (
            <option key={choice} value={choice}>
              {name === 'cardState'
                ? i18n._(termText(`state.${choice as 'secured'}`))
                : textOf(choiceLabels[`${name}.${choice}`], choice)}
            </option>
          ))}
          {placeholders.map((placeholder) => (
            <option key={placeholder} value={placeholder}>
              {placeholder}
            </option>
          ))}
        </select>
        {error && <div className="field-error">{error}</div>}
      </div>
    )
  if (field.type === 'privileges') {
    const chosen = Array.isArray(value) ? value : []
    return (
      <details className={styles.privileges}>
        <summary>
          {label}
          {chosen.length > 0 && `: ${i18n.number(chosen.length)}`}
        </summary>
        {privilegeNames.map((privilege) => (
          <label key={privilege} className={styles.flag}>
            <input
              type="checkbox"
              checked={chosen.includes(privilege)}
              onChange={({ target }) =>
                onChange(
                  target.checked
                    ? [...chosen, privilege]
                    : chosen.filter((each) => each !== privilege),
                )
              }
            />
            {i18n._(termText(`privilege.${privilege}`))}
          </label>
        ))}
      </details>
    )
  }
  return (
    <Field
      label={isNeeded ? label : t`${label} (optional)`}
      className={styles.text}
      value={String(value)}
      error={error}
      inputMode={field.type === 'number' ? 'numeric' : 'text'}
      onChange={({ target }) => onChange(target.value)}
      {...codeField}
    />
  )

  function textOf(descriptor: (typeof fieldLabels)[string] | undefined, otherwise: string) {
    return descriptor ? i18n._(descriptor) : otherwise
  }
}
