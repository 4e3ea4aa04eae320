import { useLingui } from '@lingui/react/macro'
import { useRouteContext } from '@tanstack/react-router'
import { useId } from 'react'
import { Field } from '../ui/field/field.tsx'
import { codeField } from '../ui/form/fields.tsx'
import { Combobox } from '../ui/kit/combobox.tsx'
import { searchPeople } from './search-people.ts'
import { usePeople } from './use-people.ts'

interface PersonFieldProps {
  label: string
  hint?: string
  /** A user id; empty for none. */
  value: string
  error?: string | undefined
  isClearable?: boolean
  onChange: (id: string) => void
}

/**
 * Chooses a person by email or name. Only administrators may look people up: others type the exact
 * email or ID, and the service says whether it exists.
 */
export function PersonField(props: PersonFieldProps) {
  const { label, hint, value, error, isClearable = false, onChange } = props
  const { t } = useLingui()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const id = useId()
  const { emailOf, nameOf } = usePeople(value === '' ? [] : [value], { isWithViewer: true })
  if (!viewer.isAdmin)
    return (
      <Field
        label={label}
        hint={hint ?? t`The exact email address, or the user ID.`}
        error={error}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        {...codeField}
      />
    )
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <Combobox
        label={label}
        value={value === '' ? null : { id: value, label: emailOf(value) ?? nameOf(value) ?? value }}
        options={searchPeople}
        placeholder={t`Choose a person`}
        isClearable={isClearable}
        onChange={(option) => onChange(option?.id ?? '')}
        button={{
          id,
          'aria-invalid': error ? true : undefined,
          'aria-describedby': error ? `${id}-error` : `${id}-hint`,
        }}
      />
      <div id={`${id}-hint`} className="field-hint">
        {hint ?? t`Search by name or email, or paste a user ID.`}
      </div>
      {error && (
        <div id={`${id}-error`} className="field-error">
          {error}
        </div>
      )}
    </div>
  )
}
