import { ArrowDown, ArrowUp } from 'lucide-react'
import { tooltip } from '../kit/tooltip.ts'
import styles from './data-table.module.css'
import type { DataColumn, ListView, Order } from './types.ts'

interface HeadCellProps<Row> {
  column: DataColumn<Row>
  canSort: boolean
  /** Why it cannot sort at the moment, though it can without filters. */
  whyNot: string | false | undefined
  view: ListView
  onView: (change: ListView) => void
}

const opposite = { asc: 'desc', desc: 'asc' } as const

/** A column heading; a sortable one is a button that toggles the order. */
export function HeadCell<Row>({ column, canSort, whyNot, view, onView }: HeadCellProps<Row>) {
  const { id, header, align, isPrimary, isSecondary, sample, firstOrder = 'asc' } = column
  const order: Order | undefined =
    canSort && view.sort === id ? (view.order ?? firstOrder) : undefined
  const Arrow = order === 'desc' ? ArrowDown : ArrowUp
  return (
    <th
      scope="col"
      data-align={align}
      data-primary={isPrimary}
      data-secondary={isSecondary}
      aria-sort={order ? (order === 'asc' ? 'ascending' : 'descending') : undefined}
    >
      {canSort ? (
        <button
          type="button"
          className={styles.sort}
          data-sorted={order}
          onClick={() =>
            onView({ sort: id, order: order ? opposite[order] : firstOrder, cursor: undefined })
          }
        >
          {header}
          <Arrow size={14} aria-hidden />
        </button>
      ) : whyNot ? (
        <button type="button" className={styles.sort} aria-disabled {...tooltip(whyNot)}>
          {header}
        </button>
      ) : (
        <span className={styles.head}>{header}</span>
      )}
      {sample !== undefined && (
        <span className={styles.sample} aria-hidden>
          {sample}
        </span>
      )}
    </th>
  )
}
