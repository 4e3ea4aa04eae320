import { useId, type ComponentProps, type ReactNode } from 'react'

export interface FieldProps extends Omit<ComponentProps<'input'>, 'id'> {
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
  /** A control inside the field, after the input. */
  adornment?: ReactNode
}

/** A labelled input; a screen reader reads its hint and its error with it. */
export function Field({ label, hint, error, adornment, className, ...input }: FieldProps) {
  const id = useId()
  const notes = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className={className ? `field ${className}` : 'field'}>
      <label htmlFor={id}>{label}</label>
      <div className="field-box">
        <input
          {...input}
          id={id}
          className="input"
          aria-invalid={error ? true : undefined}
          aria-describedby={notes || undefined}
        />
        {adornment}
      </div>
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
