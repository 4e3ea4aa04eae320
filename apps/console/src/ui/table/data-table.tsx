import { useLingui } from '@lingui/react/macro'
import {
  columnVisibilityFeature,
  rowSelectionFeature,
  tableFeatures,
  useTable,
  type ColumnDef,
  type RowSelectionState,
} from '@tanstack/react-table'
import { useMemo, useRef, useState, type ReactNode } from 'react'
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
  /** The id of the row whose panel is open. */
  openRow?: string | undefined
  /** Rows a page has at most: the skeleton holds the place of as many. */
  pageSize?: number
  /** The sizes to choose from; they change `view.limit`. */
  pageSizes?: readonly number[]
  /** Says which rows are listed: when it changes, nothing stays selected. */
  filterKey?: string
  /** How many there are, and the like; stands beside the column choice. */
  summary?: ReactNode
}

const noRows: never[] = []

interface Selection {
  rowSelection: RowSelectionState
  filterKey?: string | undefined
}

/** A server's list: filtered, sorted and paged there, its state in the address. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { columns, list, view, onView, rowId, rowLabel, onOpen, selectionActions } = props
  const { t } = useLingui()
  const [{ rowSelection, filterKey }, setSelection] = useState<Selection>({ rowSelection: {} })
  const anchor = useRef<string>(undefined)
  const setRowSelection = (change: (now: RowSelectionState) => RowSelectionState) =>
    setSelection((now) => ({ ...now, rowSelection: change(now.rowSelection) }))
  // Rows that the filter no longer lists must not be changed by a hand that cannot see them.
  if (filterKey !== props.filterKey) setSelection({ rowSelection: {}, filterKey: props.filterKey })
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
    onRowSelectionChange: (change) =>
      setRowSelection((now) => (typeof change === 'function' ? change(now) : change)),
  })
  const shown = columns.filter(({ id }) => table.getColumn(id)?.getIsVisible())
  const clear = () => setRowSelection(() => ({}))
  const selected = Object.keys(rowSelection).filter((id) => rowSelection[id])

  const { body, current, onKeyDown, onFocus } = useRowKeys({
    open: (index) => rows[index] && onOpen?.(rows[index]),
    toggle: (index, isRange) => {
      const row = rows[index]
      if (canSelect && row) select(rowId(row), !rowSelection[rowId(row)], isRange)
    },
  })

  /** With Shift: every row from the one selected last to this one. */
  function select(id: string, isSelected: boolean, isRange: boolean) {
    const ids = rows.map(rowId)
    const from = isRange && anchor.current ? ids.indexOf(anchor.current) : -1
    const ends = [from < 0 ? ids.indexOf(id) : from, ids.indexOf(id)].toSorted((a, b) => a - b)
    const range = new Set(ids.slice(ends[0], (ends[1] ?? 0) + 1))
    setRowSelection((now) => {
      const others = Object.keys(now).filter((each) => !range.has(each))
      return Object.fromEntries(
        [...others, ...(isSelected ? range : [])].map((each) => [each, true]),
      )
    })
    anchor.current = id
  }

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
          <div className={styles.tools}>
            {props.summary}
            <ColumnMenu
              columns={columns}
              hidden={view.hide ?? []}
              onChange={(hide) => onView({ hide })}
            />
          </div>
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
          {shown.map(({ id, width, isSecondary }) => (
            <col
              key={id}
              style={width ? { width } : undefined}
              data-secondary={isSecondary || undefined}
            />
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
        <tbody
          ref={body}
          data-loading={(!list.data && !list.error) || undefined}
          onKeyDown={onKeyDown}
          onFocus={onFocus}
        >
          {list.error && !list.data ? (
            <TableFailure
              span={span}
              error={list.error}
              onRetry={() => void list.refetch()}
              onFirstPage={() => onView({ cursor: undefined })}
            />
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
                  tabIndex={index === Math.min(current, rows.length - 1) ? 0 : -1}
                  onOpen={onOpen}
                  isSelected={row.getIsSelected()}
                  isOpen={row.id === props.openRow}
                  onSelect={
                    canSelect
                      ? (isSelected, isRange) => select(row.id, isSelected, isRange)
                      : undefined
                  }
                />
              ))
          )}
        </tbody>
      </table>
      <Pager
        list={list}
        view={view}
        onView={onView}
        sizes={props.pageSizes}
        size={props.pageSize}
      />
    </section>
  )
}
