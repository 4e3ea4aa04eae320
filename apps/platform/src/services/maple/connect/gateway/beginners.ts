import { subscriberOf } from '../../../../core/http/network.ts'

/**
 * Unauthenticated connections. At the limit, the oldest one of the address with the most makes room:
 * an address with a thousand silent connections ends its own.
 */
export function openBeginners(most: number) {
  const ofAddress = new Map<string, Set<() => void>>()
  let count = 0

  function leave(address: string, end: () => void) {
    const own = ofAddress.get(address)
    if (!own?.delete(end)) return
    count--
    if (own.size === 0) ofAddress.delete(address)
  }

  function endOldest() {
    let busiest: [string, Set<() => void>] | undefined
    for (const each of ofAddress) if (each[1].size > (busiest?.[1].size ?? 0)) busiest = each
    if (!busiest) return
    const [address, [oldest]] = busiest
    if (!oldest) return
    leave(address, oldest)
    oldest()
  }

  return {
    /**
     * Returns a function to call when it is authenticated, or gone; `end` is called when it has to
     * make room.
     */
    begin(ip: string, end: () => void): () => void {
      if (count >= most) endOldest()
      const address = subscriberOf(ip)
      const own = ofAddress.get(address) ?? new Set()
      ofAddress.set(address, own.add(end))
      count++
      return () => leave(address, end)
    },
  }
}
