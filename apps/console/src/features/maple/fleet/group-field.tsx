import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { Combobox } from '../../../ui/kit/combobox.tsx'
import type { OptionSource } from '../../../ui/kit/combobox-options.ts'
import { groupQuery } from './group.api.ts'

interface GroupFieldProps {
  label: string
  /** The ID of a group; empty for none. */
  value: string
  options: OptionSource
  placeholder: string
  error?: string | undefined
  onChange: (id: string) => void
}

/** Chooses one group of devices by search; the choice can be cleared. */
export function GroupField({
  label,
  value,
  options,
  placeholder,
  error,
  onChange,
}: GroupFieldProps) {
  const { t } = useLingui()
  const id = useId()
  const { data } = useQuery({ ...groupQuery(value), enabled: value !== '' })
  const name = data ? (data.items[0]?.name ?? t`a deleted group`) : '…'
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <Combobox
        label={label}
        value={value === '' ? null : { id: value, label: name }}
        options={options}
        placeholder={placeholder}
        isClearable
        onChange={(option) => onChange(option?.id ?? '')}
        button={{
          id,
          'aria-invalid': error ? true : undefined,
          'aria-describedby': error ? `${id}-error` : undefined,
        }}
      />
      {error && (
        <div id={`${id}-error`} className="field-error">
          {error}
        </div>
      )}
    </div>
  )
}
