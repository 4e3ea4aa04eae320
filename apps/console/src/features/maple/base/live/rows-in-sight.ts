/** The height of every row, in pixels, as in the style sheet. */
export const rowHeight = 46
/** Rows rendered above and below those in view. */
const spare = 6
/** The rendered range moves in steps of this many rows, so most scrolling changes nothing. */
const step = 4

interface Place {
  /** The row at the top edge. */
  first: number
  /** Rows that fit into the log. */
  room: number
  count: number
  /** The end is in view. */
  isFollowing: boolean
}

export interface RowRange {
  from: number
  to: number
  /** The maximum number of rows rendered at once. */
  slots: number
}

/** The rows to render, in reused elements: creating them costs most of a fast log's frame. */
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
