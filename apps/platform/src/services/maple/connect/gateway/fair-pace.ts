/** The decay time of past use, in milliseconds. */
const memoryMs = 1000
/** Past use below this is forgotten. */
const leastUsed = 0.01

interface Taker {
  used: number
  at: number
}

/**
 * Slots that become free again within a second. A requester that recently took as many slots as are
 * free gets none: one endless requester leaves half of them to others, two leave a third, and a
 * requester that took none gets one while there is any. A single requester gets all that become free.
 */
export function openFairPace(perSecond: number, clock: () => number = () => performance.now()) {
  let free = perSecond
  let filledAt = clock()
  const takers = new Map<string, Taker>()

  const usedBy = ({ used, at }: Taker, now: number) => used * Math.exp((at - now) / memoryMs)

  function forget(now: number) {
    for (const [key, taker] of takers) if (usedBy(taker, now) < leastUsed) takers.delete(key)
  }

  return {
    take(key: string): boolean {
      const now = clock()
      free = Math.min(perSecond, free + ((now - filledAt) / 1000) * perSecond)
      filledAt = now
      const known = takers.get(key)
      const used = known ? usedBy(known, now) : 0
      if (free < 1 || used >= free) return false
      free--
      takers.set(key, { used: used + 1, at: now })
      // Each took a place within the last seconds, so they are few.
      if (takers.size > 8 * perSecond + 1000) forget(now)
      return true
    },
    /** A place that was not needed. */
    giveBack(key: string): void {
      free = Math.min(perSecond, free + 1)
      const known = takers.get(key)
      if (known) known.used = Math.max(0, known.used - 1)
    },
  }
}
