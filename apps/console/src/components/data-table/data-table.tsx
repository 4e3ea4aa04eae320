import { useLingui } from '@lingui/react/macro'
import {
  columnVisibilityFeature,
  rowSelectionFeature,
  tableFeatures,
  useTable,
  type ColumnDef,
  type RowSelectionState,
} from '@tanstack/react-table'
import { useMemo, useState, type ReactNode } from 'react'
import { ColumnMenu } from './column-menu.tsx'
import styles from './data-table.module.css'
import { HeadCell } from './head-cell.tsx'
import { Pager } from './pager.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { SkeletonRows } from './skeleton-rows.tsx'
import { TableFailure } from './table-failure.tsx'
import { TableRow } from './table-row.tsx'
import type { DataColumn, ListResult, ListView } from './types.ts'
import { useRowKeys } from './use-row-keys.ts'

const features = tableFeatures({ columnVisibilityFeature, rowSelectionFeature })
export type Features = typeof features

export interface DataTableProps<Row> {
  /** Names the table to a screen reader. */
  label: string
  columns: readonly DataColumn<Row>[]
  rowId: (row: Row) => string
  /** A word for the row, such as its name. */
  rowLabel: (row: Row) => string
  list: ListResult<Row>
  view: ListView
  onView: (change: ListView) => void
  /** Shown when there is nothing at all: what it is for, and the first step. */
  empty: ReactNode
  isFiltered: boolean
  onClearFilters: () => void
  /** The controls left of the column choice. */
  filters?: ReactNode
  /** What can be done with the rows selected; without it rows cannot be selected. */
  selectionActions?: (ids: string[], clear: () => void) => ReactNode
  onOpen?: (row: Row) => void
  /** Rows a page has at most: the skeleton holds the place of as many. */
  pageSize?: number
}

const noRows: never[] = []

/** A server's list: filtered, sorted and paged there, its state in the address. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { columns, list, view, onView, rowId, rowLabel, onOpen, selectionActions } = props
  const { t } = useLingui()
  const [rowSelection, setRowSelection] = useState<RowSelectionState>({})
  const canSelect = selectionActions !== undefined
  // By their ids, so that a page may build its columns anew on every render.
  const ids = columns.map(({ id }) => id).join(',')
  const definitions = useMemo<ColumnDef<Features, Row & object>[]>(
    () => ids.split(',').map((id) => ({ id })),
    [ids],
  )
  const columnVisibility = useMemo(
    () => Object.fromEntries((view.hide ?? []).map((id) => [id, false])),
    [view.hide],
  )
  const rows = (list.data?.items ?? noRows) as (Row & object)[]
  const table = useTable({
    features,
    columns: definitions,
    data: rows,
    getRowId: rowId,
    enableRowSelection: canSelect,
    state: { rowSelection, columnVisibility },
    onRowSelectionChange: setRowSelection,
  })
  const shown = columns.filter(({ id }) => table.getColumn(id)?.getIsVisible())
  const clear = () => setRowSelection({})
  const selected = Object.keys(rowSelection).filter((id) => rowSelection[id])

  const { body, current, onKeyDown, onFocus } = useRowKeys({
    open: (index) => rows[index] && onOpen?.(rows[index]),
    toggle: (index) => canSelect && table.getRowModel().rows[index]?.toggleSelected(),
  })

  if (
    list.data &&
    rows.length === 0 &&
    !props.isFiltered &&
    !view.cursor &&
    !list.isPlaceholderData
  )
    return <>{props.empty}</>

  const span = shown.length + (canSelect ? 1 : 0)
  return (
    <section className={styles.frame} aria-label={props.label}>
      {selected.length > 0 && selectionActions ? (
        <SelectionBar count={selected.length} onClear={clear}>
          {selectionActions(selected, clear)}
        </SelectionBar>
      ) : (
        <search className={styles.toolbar} aria-label={props.label}>
          {props.filters}
          <ColumnMenu
            columns={columns}
            hidden={view.hide ?? []}
            onChange={(hide) => onView({ hide })}
          />
        </search>
      )}
      <table
        className={styles.table}
        aria-label={props.label}
        aria-busy={list.isFetching}
        data-stale={list.isPlaceholderData || undefined}
      >
        <colgroup>
          {canSelect && <col className={styles.checkColumn} />}
          {shown.map(({ id, width }) => (
            <col key={id} style={width ? { width } : undefined} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {canSelect && (
              <th scope="col" className={styles.check}>
                <input
                  type="checkbox"
                  aria-label={t`Select all on this page`}
                  disabled={rows.length === 0}
                  checked={rows.length > 0 && table.getIsAllPageRowsSelected()}
                  ref={(box) => {
                    if (box) box.indeterminate = table.getIsSomePageRowsSelected()
                  }}
                  onChange={(event) => table.toggleAllPageRowsSelected(event.target.checked)}
                />
              </th>
            )}
            {shown.map((column) => (
              <HeadCell key={column.id} column={column} view={view} onView={onView} />
            ))}
          </tr>
        </thead>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys of the rows, which have the focus */}
        <tbody ref={body} onKeyDown={onKeyDown} onFocus={onFocus}>
          {list.error && !list.data ? (
            <TableFailure span={span} error={list.error} onRetry={() => void list.refetch()} />
          ) : !list.data ? (
            <SkeletonRows rows={props.pageSize ?? 50} columns={span} />
          ) : rows.length === 0 ? (
            <tr>
              <td colSpan={span} className={styles.message}>
                <p>{t`Nothing matches.`}</p>
                <button type="button" className="button" onClick={props.onClearFilters}>
                  {props.isFiltered ? t`Clear the filters` : t`Go to the first page`}
                </button>
              </td>
            </tr>
          ) : (
            table
              .getRowModel()
              .rows.map((row, index) => (
                <TableRow
                  key={row.id}
                  row={row.original as Row}
                  columns={shown}
                  label={rowLabel(row.original as Row)}
                  tabIndex={index === current ? 0 : -1}
                  onOpen={onOpen}
                  isSelected={row.getIsSelected()}
                  onSelect={canSelect ? (isSelected) => row.toggleSelected(isSelected) : undefined}
                />
              ))
          )}
        </tbody>
      </table>
      <Pager list={list} view={view} onView={onView} />
    </section>
  )
}
