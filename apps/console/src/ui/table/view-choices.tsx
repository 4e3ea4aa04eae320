import { useLingui } from '@lingui/react/macro'
import { CheckList } from '../text/check-list.tsx'
import styles from './data-table.module.css'
import { changePreferences, type Density } from './list-preferences.ts'
import type { DataColumn, ListView } from './types.ts'
import { usePreferences } from './use-preferences.ts'

export interface ViewMenuProps<Row> {
  /** The list whose choices are remembered. */
  name: string
  columns: readonly DataColumn<Row>[]
  /** The columns to sort by. */
  sorts: readonly string[]
  /** Those available without filters. */
  allSorts?: readonly string[] | undefined
  hidden: readonly string[]
  view: ListView
  onView: (change: ListView) => void
  pageSize?: number | undefined
  pageSizes?: readonly number[] | undefined
  hasCards?: boolean | undefined
}

/** The choices of the view menu. */
export function ViewChoices<Row>(props: ViewMenuProps<Row>) {
  const { name, columns, hidden, view, onView, pageSize, pageSizes } = props
  const { t } = useLingui()
  const { density = 'comfortable' } = usePreferences(name)
  const options = columns
    .filter(({ isPrimary }) => !isPrimary)
    .map(({ id, header }) => ({ value: id, label: header }))
  const sorts = columns
    .filter(({ id }) => props.sorts.includes(id))
    .map(({ id, header }) => ({ value: id, label: header }))

  const showColumns = (shown: string[]) => {
    const hide = options.map(({ value }) => value).filter((id) => !shown.includes(id))
    changePreferences(name, { hide })
    // A link's own choice ends with the reader's first.
    if (view.hide) onView({ hide: undefined })
  }
  const choosePageSize = ([size]: string[]) => {
    changePreferences(name, { limit: Number(size) })
    onView({ limit: undefined, cursor: undefined })
  }
  const sortBy = ([sort]: string[]) =>
    onView({
      sort,
      order: columns.find((column) => column.id === sort)?.firstOrder ?? 'asc',
      cursor: undefined,
    })

  return (
    <>
      {sorts.length > 0 && (
        // On a phone, rows have no headings to click.
        <div className={styles.narrow}>
          <CheckList
            label={t`Sort by`}
            hasHeading
            isSingle
            options={sorts}
            selected={view.sort === undefined ? [] : [view.sort]}
            onChange={sortBy}
          />
          {props.allSorts?.some((id) => !props.sorts.includes(id)) && (
            <p className="muted">{t`The filters leave no other sorting.`}</p>
          )}
        </div>
      )}
      <CheckList
        label={t`Columns`}
        hasHeading
        options={options}
        selected={options.map(({ value }) => value).filter((id) => !hidden.includes(id))}
        onChange={showColumns}
      />
      <CheckList
        label={t`Rows`}
        hasHeading
        isSingle
        options={[
          { value: 'comfortable', label: t`Comfortable` },
          { value: 'compact', label: t`Compact` },
          ...(props.hasCards ? [{ value: 'cards' as const, label: t`Cards` }] : []),
        ]}
        selected={[density]}
        onChange={([chosen]) => changePreferences(name, { density: chosen as Density })}
      />
      {pageSizes && (
        <CheckList
          label={t`Rows per page`}
          hasHeading
          isSingle
          options={pageSizes.map((size) => ({ value: String(size), label: String(size) }))}
          selected={[String(pageSize)]}
          onChange={choosePageSize}
        />
      )}
    </>
  )
}
