import { decodeCursor, encodeCursor, type KeysetSort } from '../../core/database/keyset.ts'

interface Key {
  value: string
  tiebreak: string
}

interface PageOptions<Row> {
  sort: KeysetSort
  cursor: string | undefined
  limit: number
  /** Rows behind a key in the list's order, or before it with the nearest first. */
  read: (from: { after: Key | undefined; isBackward: boolean; limit: number }) => Promise<Row[]>
  keyOf: (row: Row) => Key
}

/** Reads one page and one row more, which tells whether another page follows. */
export async function keysetPage<Row>({ sort, cursor, limit, read, keyOf }: PageOptions<Row>) {
  const after = cursor === undefined ? undefined : decodeCursor(sort, cursor)
  const isBackward = after?.direction === 'previous'
  const rows = await read({ after, isBackward, limit: limit + 1 })
  const hasMore = rows.length > limit
  const items = isBackward ? rows.slice(0, limit).toReversed() : rows.slice(0, limit)
  const cursorAt = (row: Row | undefined, direction: 'next' | 'previous', exists: boolean) =>
    row && exists ? encodeCursor(sort, { ...keyOf(row), direction }) : null
  return {
    items,
    next: cursorAt(items.at(-1), 'next', isBackward || hasMore),
    previous: cursorAt(items[0], 'previous', isBackward ? hasMore : after !== undefined),
  }
}
