import { useEffect, useRef } from 'react'
import { invalidate } from '../../../api/query-client.ts'

/**
 * Calls `onEnd` when something of a list that is followed has ended, whatever its end: also what
 * ended before the page saw it running, or while something else began.
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

/** After commands to cards: elements, their keys and their contents are read again where shown. */
export const refreshCards = () => invalidate('maple', '/api/maple/se')
