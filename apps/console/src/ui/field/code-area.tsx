import { useId, type ReactNode } from 'react'
import styles from './code-area.module.css'

interface CodeAreaProps {
  name: string
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
  rows?: number
  maxLength: number
  value: string
  onChange: (value: string) => void
}

/** A labelled field for what a program wrote, such as a key in PEM. */
export function CodeArea({ label, hint, error, rows = 6, onChange, ...area }: CodeAreaProps) {
  const id = useId()
  const notes = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        {...area}
        id={id}
        className={`input ${styles.area}`}
        rows={rows}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={error ? true : undefined}
        aria-describedby={notes || undefined}
        onChange={({ target }) => onChange(target.value)}
      />
      {hint && (
        <div id={`${id}-hint`} className="field-hint">
          {hint}
        </div>
      )}
      {error && (
        <div id={`${id}-error`} className="field-error">
          {error}
        </div>
      )}
    </div>
  )
}
