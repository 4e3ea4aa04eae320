import { useEffect, useRef } from 'react'
import { invalidate } from '../../../api/query-client.ts'

/**
 * Calls `onEnd` when an item of a followed list has ended, in whatever way: also if it ended before
 * the page saw it running, or while another one started.
 */
export function useEnded<Item extends { id: string }>(
  items: readonly Item[] | undefined,
  isLive: (item: Item) => boolean,
  onEnd: () => unknown,
) {
  const before = useRef<ReadonlySet<string>>(undefined)
  useEffect(() => {
    if (!items) return
    const ended = items.filter((item) => !isLive(item)).map(({ id }) => id)
    const known = before.current
    before.current = new Set(ended)
    if (known && ended.some((id) => !known.has(id))) onEnd()
  })
}

/** After commands to cards: refetches elements, their keys and their contents where shown. */
export const refreshCards = () => invalidate('maple', '/api/maple/se')
