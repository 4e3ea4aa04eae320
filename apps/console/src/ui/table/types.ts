import type { ReactNode } from 'react'

export interface DataColumn<Row> {
  id: string
  /** A translated heading. */
  header: string
  cell: (row: Row) => ReactNode
  /** A CSS width; columns without one share what is left. */
  width?: string
  /** Numbers stand at the end. */
  align?: 'end'
  /** The server's name of this order; without it the column cannot be sorted. */
  sort?: string
  /** The first way of sorting when the heading is clicked. */
  firstOrder?: Order
  /** Names the row: cannot be hidden, heads the card on a phone. */
  isPrimary?: boolean
  /** Left out where the table is too narrow for all; a card on a phone has it again. */
  isSecondary?: boolean
}

export type Order = 'asc' | 'desc'

/** The part of a list's state that the table changes; it lives in the page's search parameters. */
export interface ListView {
  sort?: string | undefined
  order?: Order | undefined
  cursor?: string | undefined
  /** Ids of hidden columns. */
  hide?: string[] | undefined
  /** Rows a page has at most. */
  limit?: number | undefined
}

/** A keyset page as the platform answers it. */
export interface ListPage<Row> {
  items: Row[]
  next: string | null
  previous: string | null
}

/** What the table needs of a query's result. */
export interface ListResult<Row> {
  data: ListPage<Row> | undefined
  error: unknown
  isFetching: boolean
  /** The rows are those of the view before, while the new ones are on their way. */
  isPlaceholderData: boolean
  refetch: () => unknown
}
