/** The most items that one page of a list can hold, and how many it holds by default. */
export const largestPage = 200
export const defaultPageSize = 50

/** A search text has at most this many characters. */
export const maxSearchLength = 100

// 30 characters of a title can become 540 to sort by, of two bytes each, in base64.
export const maxCursorLength = 2048

export const orders = ['asc', 'desc'] as const
export type Order = (typeof orders)[number]

/** How a list can be sorted, and how it is sorted unless the query says otherwise. */
export interface Sorting<Sort extends string = string> {
  by: readonly Sort[]
  default: Sort
  order: Order
}

/** A list that is asked for its count counts this many, where nothing keeps the number. */
export const maxCounted = 10_000

export type SortOf<S extends Sorting> = S['by'][number]
