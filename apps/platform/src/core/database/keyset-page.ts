import { decodeCursor, encodeCursor, type KeysetCursor, type KeysetSort } from './keyset.ts'

/** What to read for one page of a list. */
export interface KeysetRange {
  /** The row to start behind. */
  after: KeysetCursor | undefined
  /** Read against the list's order, so that the rows nearest to `after` come first. */
  isBackward: boolean
  /** One row more than the page holds, which tells whether another page follows. */
  limit: number
}

/** @throws {BadCursorError} for a cursor that is not of this sort. */
export function keysetRange(
  sort: KeysetSort,
  cursor: string | undefined,
  limit: number,
): KeysetRange {
  const after = cursor === undefined ? undefined : decodeCursor(sort, cursor)
  return { after, isBackward: after?.direction === 'previous', limit: limit + 1 }
}

/** The page of a range, in the list's order, with the cursors to its neighbours. */
export function keysetPage<Row>(
  sort: KeysetSort,
  { after, isBackward, limit }: KeysetRange,
  rows: readonly Row[],
  keyOf: (row: Row) => Pick<KeysetCursor, 'value' | 'tiebreak'>,
) {
  const hasMore = rows.length === limit
  const items = rows.slice(0, limit - 1)
  if (isBackward) items.reverse()
  const cursorAt = (row: Row | undefined, direction: KeysetCursor['direction']) =>
    row === undefined ? null : encodeCursor(sort, { ...keyOf(row), direction })
  return {
    items,
    next: isBackward || hasMore ? cursorAt(items.at(-1), 'next') : null,
    previous: (isBackward ? hasMore : after) ? cursorAt(items[0], 'previous') : null,
  }
}
