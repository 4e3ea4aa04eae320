import { useLingui } from '@lingui/react/macro'
import {
  useDeferredValue,
  useMemo,
  useRef,
  type ChangeEvent,
  type MouseEvent,
  type ReactNode,
} from 'react'
import styles from './data-table.module.css'
import { onDemand, usePrefetch } from '../kit/on-demand.tsx'
import { HeadCell } from './head-cell.tsx'
import type { ReadIds } from './selection-bar.tsx'
import { SkeletonRows } from './skeleton-rows.tsx'
import { TableFailure } from './table-failure.tsx'
import { TableFooter, totalOf, type TotalText } from './table-footer.tsx'
import { TableRow } from './table-row.tsx'
import type { DataColumn, ListResult, ListView } from './types.ts'
import { useListKeys } from './use-list-keys.ts'
import { usePreferences } from './use-preferences.ts'
import { useSelection } from './use-selection.ts'
import { useTight } from './use-tight.ts'
import { ViewMenu } from './view-menu.tsx'

export interface DataTableProps<Row> {
  /** The key of its preferences in this browser. */
  name: string
  /** Labels the table for screen readers. */
  label: string
  columns: readonly DataColumn<Row>[]
  /** The IDs of the columns that the service can sort by. */
  sorts?: readonly string[]
  /** Those it can sort by without filters. */
  allSorts?: readonly string[]
  rowId: (row: Row) => string
  /** A name for the row. */
  rowLabel: (row: Row) => string
  list: ListResult<Row>
  view: ListView
  onView: (change: ListView) => void
  /** Shown when there is nothing at all: what belongs here, and the first step. */
  empty: ReactNode
  isFiltered: boolean
  /** What the search covers. */
  q?: string
  onClearFilters: () => void
  /** The controls to the left of the view menu. */
  filters?: ReactNode
  /** Actions on the selected rows; without them rows cannot be selected. */
  selectionActions?: (ids: string[], clear: () => void) => ReactNode
  /** For "Select all 20,000". */
  readIds?: ReadIds
  /** The items of a row's menu. */
  rowActions?: (row: Row) => ReactNode
  onOpen?: (row: Row) => void
  /** What E does for a row's ID. */
  onEdit?: (id: string) => void
  /** The ID of the row whose panel is open. */
  openRow?: string | undefined
  /** The maximum number of rows per page: the skeleton reserves room for as many. */
  pageSize?: number
  /** The page sizes to choose from. */
  pageSizes?: readonly number[]
  /** Identifies which rows are listed: when it changes, the selection is cleared. */
  filterKey?: string
  totalText?: TotalText
  /** The reader may choose cards instead of rows. */
  hasCards?: boolean
  /** A note about these rows, below the filters. */
  notice?: ReactNode
}

const SelectionBar = onDemand(() =>
  import('./selection-bar.tsx').then((module) => module.SelectionBar),
)

// As many as most windows show.
const firstRows = 20
const noRows: never[] = []
const noColumns: string[] = []
const controls = 'a, button, input, label, select, summary, [popover]'

/** A server-side list: filtered, sorted and paged there, with its state in the URL. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const {
    name,
    columns,
    sorts = noColumns,
    list,
    view,
    onView,
    rowId,
    onOpen,
    onEdit,
    rowActions,
  } = props
  const { t } = useLingui()
  const preferences = usePreferences(name)
  usePrefetch(SelectionBar)
  const frame = useRef<HTMLElement>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const selection = useSelection(props.filterKey)
  const hidden = view.hide ?? preferences.hide ?? noColumns
  const shown = useMemo(() => columns.filter(({ id }) => !hidden.includes(id)), [columns, hidden])
  const rows = list.data?.items ?? noRows
  const ids = rows.map(rowId)
  // A page that opens with its rows renders those in view first, the rest right after.
  const isWhole = useDeferredValue(true, false)
  const canSelect = props.selectionActions !== undefined
  const { q } = props
  useTight(frame, shown, rows.length > 0)

  const rowAt = (index: number) => rows[index]
  const { current, onFocus } = useListKeys({
    frame,
    rows: body,
    openRow: props.openRow === undefined ? -1 : ids.indexOf(props.openRow),
    canOpen: onOpen !== undefined,
    canEdit: onEdit !== undefined,
    canSelect,
    open: (index) => {
      const row = rowAt(index)
      if (row) onOpen?.(row)
    },
    edit: (index) => {
      // A link may open a panel whose row is on another page.
      const id = ids[index] ?? props.openRow
      if (id !== undefined) onEdit?.(id)
      return id !== undefined
    },
    toggle: (index, isRange) => {
      const id = ids[index]
      if (canSelect && id !== undefined) selection.select(ids, id, !selection.ids.has(id), isRange)
    },
  })

  const rowOf = (target: EventTarget) =>
    target instanceof Element ? target.closest<HTMLElement>('tr[data-row]') : null

  /** A click on a row opens it, unless it hit a control or ended a text selection. */
  const openByClick = ({ target }: MouseEvent) => {
    const row = rows[ids.indexOf(rowOf(target)?.dataset['row'] ?? '')]
    const isControl = target instanceof Element && target.closest(controls)
    if (row && !isControl && getSelection()?.isCollapsed !== false) onOpen?.(row)
  }
  const selectByClick = ({ target, nativeEvent }: ChangeEvent<HTMLElement>) => {
    const id = rowOf(target)?.dataset['row']
    if (id === undefined || !target.closest(`.${styles.check}`)) return
    const isRange = 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true
    selection.select(ids, id, !selection.ids.has(id), isRange)
  }

  const isEmpty = list.data && rows.length === 0 && !list.isPlaceholderData
  if (isEmpty && !props.isFiltered && !view.cursor) return <>{props.empty}</>

  const span = shown.length + (canSelect ? 1 : 0) + (rowActions ? 1 : 0)
  const count = selection.ids.size
  const isPageSelected = ids.length > 0 && ids.every((id) => selection.ids.has(id))
  const total = list.data && totalOf(list.data)
  return (
    <section
      ref={frame}
      className={styles.frame}
      aria-label={props.label}
      data-density={preferences.density}
    >
      {count > 0 && props.selectionActions ? (
        <SelectionBar
          count={count}
          all={
            props.readIds && total && count < total.count
              ? { count: total.count, isCapped: total.isMore, readIds: props.readIds }
              : undefined
          }
          onSelectPage={isPageSelected ? undefined : () => selection.add(ids, true)}
          onSelect={selection.replace}
          onClear={selection.clear}
        >
          {props.selectionActions([...selection.ids], selection.clear)}
        </SelectionBar>
      ) : (
        <search className={styles.toolbar} aria-label={props.label}>
          {props.filters}
          <div className={styles.tools}>
            <ViewMenu
              name={name}
              columns={columns}
              sorts={sorts}
              allSorts={props.allSorts}
              hidden={hidden}
              view={view}
              onView={onView}
              pageSize={props.pageSize}
              pageSizes={props.pageSizes}
              hasCards={props.hasCards}
            />
          </div>
          {props.notice}
        </search>
      )}
      <table
        className={styles.table}
        aria-label={props.label}
        aria-busy={list.isFetching}
        data-stale={list.isPlaceholderData || undefined}
      >
        <thead>
          <tr>
            {canSelect && (
              <th scope="col" className={styles.check}>
                <label>
                  <input
                    type="checkbox"
                    aria-label={t`Select all on this page`}
                    disabled={rows.length === 0}
                    checked={isPageSelected}
                    ref={(box) => {
                      if (box)
                        box.indeterminate =
                          !isPageSelected && ids.some((id) => selection.ids.has(id))
                    }}
                    onChange={(event) => selection.add(ids, event.target.checked)}
                  />
                </label>
              </th>
            )}
            {shown.map((column) => (
              <HeadCell
                key={column.id}
                column={column}
                canSort={sorts.includes(column.id)}
                whyNot={props.allSorts?.includes(column.id) && t`Not sortable with these filters`}
                view={view}
                onView={onView}
              />
            ))}
            {rowActions && (
              <th scope="col" className={styles.actions}>
                <span className="visually-hidden">{t`Actions`}</span>
              </th>
            )}
          </tr>
        </thead>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events -- a larger target for the link of each row; keys: use-list-keys.ts */}
        <tbody
          ref={body}
          data-loading={(!list.data && !list.error) || undefined}
          onClick={openByClick}
          onChange={selectByClick}
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
                <p>
                  {q
                    ? t`Nothing matches “${q}”. Check the spelling, or type less.`
                    : t`Nothing matches.`}
                </p>
                <button type="button" className="button" onClick={props.onClearFilters}>
                  {props.isFiltered ? t`Clear the filters` : t`Go to the first page`}
                </button>
              </td>
            </tr>
          ) : (
            (isWhole ? rows : rows.slice(0, firstRows)).map((row, index) => (
              <TableRow
                key={ids[index]}
                row={row}
                id={rowId(row)}
                columns={shown}
                label={props.rowLabel(row)}
                isCurrent={index === Math.min(current, rows.length - 1)}
                isSelected={selection.ids.has(rowId(row))}
                isOpen={rowId(row) === props.openRow}
                canSelect={canSelect}
                canOpen={onOpen !== undefined}
                actions={rowActions}
              />
            ))
          )}
        </tbody>
      </table>
      <TableFooter list={list} view={view} onView={onView} totalText={props.totalText} />
    </section>
  )
}
