import { ArrowDown, ArrowUp } from 'lucide-react'
import styles from './data-table.module.css'
import type { DataColumn, ListView, Order } from './types.ts'

interface HeadCellProps<Row> {
  column: DataColumn<Row>
  view: ListView
  onView: (change: ListView) => void
}

const opposite = { asc: 'desc', desc: 'asc' } as const

/** A heading; one that can sort is a button that turns the order round. */
export function HeadCell<Row>({ column, view, onView }: HeadCellProps<Row>) {
  const { header, sort, align, isSecondary, firstOrder = 'asc' } = column
  if (!sort) {
    return (
      <th scope="col" data-align={align} data-secondary={isSecondary || undefined}>
        <span className={styles.head}>{header}</span>
      </th>
    )
  }
  const order: Order | undefined = view.sort === sort ? (view.order ?? 'asc') : undefined
  const next = order ? opposite[order] : firstOrder
  const Arrow = order === 'desc' ? ArrowDown : ArrowUp
  return (
    <th
      scope="col"
      data-align={align}
      data-secondary={isSecondary || undefined}
      aria-sort={order ? (order === 'asc' ? 'ascending' : 'descending') : undefined}
    >
      <button
        type="button"
        className={styles.sort}
        data-sorted={order}
        onClick={() => onView({ sort, order: next, cursor: undefined })}
      >
        {header}
        <Arrow size={14} aria-hidden />
      </button>
    </th>
  )
}
