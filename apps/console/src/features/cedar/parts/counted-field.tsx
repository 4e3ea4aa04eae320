import { useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import styles from './counted-field.module.css'
import { countCharacters } from './translations.ts'

interface CountedFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
  limit: number
  /** The language of the text, for the spelling checker and for screen readers. */
  lang: string
  /** Number of lines; one is an input. */
  lines?: number
  error?: string | undefined
  isRequired?: boolean
}

/** A text with a limit. Excess characters are counted and reported, never truncated. */
export function CountedField(props: CountedFieldProps) {
  const { label, value, onChange, limit, lines = 1, error, isRequired } = props
  const { t, i18n } = useLingui()
  const id = useId()
  const count = countCharacters(value)
  const isOver = count > limit
  const control = {
    id,
    value,
    lang: props.lang,
    className: 'input',
    'aria-required': isRequired,
    'aria-invalid': error || isOver ? true : undefined,
    'aria-describedby': error ? `${id}-count ${id}-error` : `${id}-count`,
  }
  const shown = `${i18n.number(count)} / ${i18n.number(limit)}`
  return (
    <div className="field">
      <div className={styles.head}>
        <label htmlFor={id}>{label}</label>
        <span id={`${id}-count`} className={styles.count} data-over={isOver || undefined}>
          <span aria-hidden>{shown}</span>
          <span className="visually-hidden">{t`${count} of ${limit} characters`}</span>
        </span>
      </div>
      {lines === 1 ? (
        <input {...control} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <textarea {...control} rows={lines} onChange={(event) => onChange(event.target.value)} />
      )}
      {error && (
        <div id={`${id}-error`} className="field-error">
          {error}
        </div>
      )}
    </div>
  )
}
