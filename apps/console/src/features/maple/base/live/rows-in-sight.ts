/** Of every row, in pixels, as the style sheet has it. */
export const rowHeight = 46
/** Rows that are drawn above and below those in sight. */
const spare = 6
/** What is drawn moves in steps of so many rows: most scrolling changes nothing. */
const step = 4

interface Place {
  /** The row at the upper edge. */
  first: number
  /** Rows that the log has room for. */
  room: number
  count: number
  /** The end is in sight. */
  isFollowing: boolean
}

export interface RowRange {
  from: number
  to: number
  /** At most so many rows are drawn at once. */
  slots: number
}

/** The rows to draw, in elements that are used again: making them costs most of a fast log's frame. */
export function rowsInSight({ first, room, count, isFollowing }: Place): RowRange {
  const slots = room + spare * 2 + step
  const last = Math.max(0, count - room)
  const top = isFollowing ? last : Math.floor(Math.min(first, last) / step) * step
  return {
    from: Math.max(0, top - spare),
    to: Math.min(count, top + room + spare + (isFollowing ? 0 : step)),
    slots,
  }
}
