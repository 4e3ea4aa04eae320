/** Maximum and default number of items on a page of a list. */
export const largestPage = 200
export const defaultPageSize = 50

/** Maximum length of a search text. */
export const maxSearchLength = 100

// 30 characters of a title can become 540 to sort by, of two bytes each, in base64.
export const maxCursorLength = 2048

export const orders = ['asc', 'desc'] as const
export type Order = (typeof orders)[number]

/** The sort orders of a list, and its default. */
export interface Sorting<Sort extends string = string> {
  by: readonly Sort[]
  default: Sort
  order: Order
}

/** What a list can be sorted by, and the order that it has unless the query says otherwise. */
export const sortedBy = <const Sort extends string>(
  by: readonly Sort[],
  first: NoInfer<Sort>,
  order: Order,
): Sorting<Sort> => ({ by, default: first, order })

/** A list that is counted without a stored total stops counting here. */
export const maxCounted = 10_000

export type SortOf<S extends Sorting> = S['by'][number]
