import { useId, type ComponentProps, type ReactNode } from 'react'

interface AreaFieldProps extends Omit<ComponentProps<'textarea'>, 'id'> {
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
}

/** A labelled multi-line text; a screen reader reads its hint and its error with it. */
export function AreaField({ label, hint, error, className = '', ...area }: AreaFieldProps) {
  const id = useId()
  const notes = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        {...area}
        id={id}
        className={`input ${className}`}
        spellCheck={false}
        aria-invalid={error ? true : undefined}
        aria-describedby={notes || undefined}
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
