import { useLingui } from '@lingui/react/macro'
import { TriangleAlert } from 'lucide-react'
import styles from './filter-bar.module.css'
import { FilterMenu } from './filter-menu.tsx'
import { FilterRow } from './filter-row.tsx'
import { SearchBox } from './search-box.tsx'

export interface Filter {
  name: string
  label: string
  options: readonly { value: string; label: string }[]
  selected: readonly string[]
  /** Values in the URL that the filter does not have. */
  unknown: readonly string[]
  isSingle?: boolean | undefined
}

interface FilterBarProps {
  searchLabel: string
  q: string
  filters: readonly Filter[]
  onSearch: (text: string) => void
  onFilter: (name: string, values: string[]) => void
  onClear: () => void
}

/** The search and the filters of a list. */
export function FilterBar({ searchLabel, q, filters, ...on }: FilterBarProps) {
  const isOn = filters.some(({ selected, unknown }) => selected.length + unknown.length > 0)
  return (
    <>
      <SearchBox label={searchLabel} value={q} onChange={on.onSearch} />
      <FilterRow isOn={isOn || q !== ''} onClear={on.onClear}>
        {filters.map(({ name, label, options, selected, isSingle }) => (
          <FilterMenu
            key={name}
            label={label}
            options={options}
            selected={selected}
            isSingle={isSingle}
            onChange={(values) => on.onFilter(name, values)}
          />
        ))}
      </FilterRow>
      {filters.some(({ unknown }) => unknown.length > 0) && (
        <output className={styles.unknown}>
          <TriangleAlert size={14} aria-hidden />
          {filters.map((filter) => (
            <UnknownValues key={filter.name} {...filter} />
          ))}
        </output>
      )}
    </>
  )
}

/** A link may be old or mistyped, so its unknown values are reported. */
function UnknownValues({ label, options, selected, unknown }: Filter) {
  const { t, i18n } = useLingui()
  if (unknown.length === 0) return null
  const name = label.toLocaleLowerCase(i18n.locale)
  const values = unknown.join(', ')
  const shown = options
    .filter(({ value }) => selected.includes(value))
    .map((each) => each.label)
    .join(', ')
  return (
    <span>
      {shown === ''
        ? t`Unknown ${name} “${values}”; showing all.`
        : t`Unknown ${name} “${values}”; showing ${shown}.`}
    </span>
  )
}
