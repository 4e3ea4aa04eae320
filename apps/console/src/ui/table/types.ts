import type { Order } from '@grove/contract/page.rules'
import type { ReactNode } from 'react'

export interface DataColumn<Row> {
  id: string
  /** A translated heading. */
  header: string
  cell: (row: Row) => ReactNode
  /** The longest cell contents, which reserve the column's width before the rows load. */
  sample?: ReactNode
  /** Numbers are aligned to the end. */
  align?: 'end'
  /** The order on the first click on the heading. */
  firstOrder?: Order
  /** Names the row and takes the remaining width: cannot be hidden, and comes first on a phone. */
  isPrimary?: boolean
  /** Left out where the table is too narrow for all columns. */
  isSecondary?: boolean
  /** On a phone: beside the name, in the line below it (the default), at its end, or left out. */
  phone?: 'state' | 'line' | 'end' | 'hidden'
}

export type { Order }

/** The part of a list's state that the table changes; it is in the page's search parameters. */
export interface ListView {
  sort?: string | undefined
  order?: Order | undefined
  cursor?: string | undefined
  /** IDs of hidden columns, if a link says so; otherwise the reader's own choice applies. */
  hide?: string[] | undefined
  /** The maximum number of rows per page; likewise. */
  limit?: number | undefined
}

/** A keyset page as the platform returns it. */
export interface ListPage<Row> {
  items: Row[]
  next: string | null
  previous: string | null
  /** The number of rows on all pages; if capped, there are at least as many. */
  count?: { value: number; isCapped: boolean } | undefined
}

/** What the table needs from a query's result. */
export interface ListResult<Row> {
  data: ListPage<Row> | undefined
  error: unknown
  isFetching: boolean
  /** The rows are still those of the previous view, while the new ones are loading. */
  isPlaceholderData: boolean
  refetch: () => unknown
}
