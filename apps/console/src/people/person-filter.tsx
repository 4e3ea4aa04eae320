import { useLingui } from '@lingui/react/macro'
import { useRouteContext } from '@tanstack/react-router'
import { Combobox } from '../ui/kit/combobox.tsx'
import styles from './person-filter.module.css'
import { searchPeople } from './search-people.ts'
import { usePeople } from './use-people.ts'

interface PersonFilterProps {
  /** A user id. */
  value: string | undefined
  onChange: (id: string | undefined) => void
}

/** A filter by who acted; only for administrators, since others may not look people up. */
export function PersonFilter({ value, onChange }: PersonFilterProps) {
  const { t } = useLingui()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const asked = { isWithViewer: true }
  const { emailOf, nameOf } = usePeople(value === undefined ? [] : [value], asked)
  if (!viewer.isAdmin) return null
  const label = value && (emailOf(value) ?? nameOf(value) ?? value.slice(0, 12))
  return (
    <span className={styles.choice}>
      <Combobox
        label={t`Who`}
        value={value === undefined || !label ? null : { id: value, label }}
        placeholder={t`anybody`}
        options={searchPeople}
        isClearable
        onChange={(option) => onChange(option?.id)}
      />
    </span>
  )
}
