import type { Order } from '@grove/contract/page.rules'
import type { ReactNode } from 'react'

export interface DataColumn<Row> {
  id: string
  /** A translated heading. */
  header: string
  cell: (row: Row) => ReactNode
  /** The longest of what the cells hold: the column has its width before the rows are here. */
  sample?: ReactNode
  /** Numbers are aligned to the end. */
  align?: 'end'
  /** The first order when the heading is clicked. */
  firstOrder?: Order
  /** Names the row and takes the width that is left: cannot be hidden, leads the row on a phone. */
  isPrimary?: boolean
  /** Left out where the table is too narrow for all. */
  isSecondary?: boolean
  /** On a phone: beside the name, in the line below it (the default), at its end, or left out. */
  phone?: 'state' | 'line' | 'end' | 'hidden'
}

export type { Order }

/** The part of a list's state that the table changes; it lives in the page's search parameters. */
export interface ListView {
  sort?: string | undefined
  order?: Order | undefined
  cursor?: string | undefined
  /** Ids of hidden columns, where a link says so; otherwise the reader's own choice counts. */
  hide?: string[] | undefined
  /** Rows a page has at most; likewise. */
  limit?: number | undefined
}

/** A keyset page as the platform answers it. */
export interface ListPage<Row> {
  items: Row[]
  next: string | null
  previous: string | null
  /** How many there are on all pages; capped: at least as many. */
  count?: { value: number; isCapped: boolean } | undefined
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
