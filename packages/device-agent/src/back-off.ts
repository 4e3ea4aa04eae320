const longestMs = 60_000
const firstMs = 4000

/**
 * A connection that held for so long was a good one: the next failure counts as the first. One that
 * ends at its welcome, again and again, is not.
 */
export const stableMs = 10_000

/**
 * Milliseconds before the next attempt, evenly anywhere up to a limit that doubles: devices which
 * lost a connection together come back one by one. `attempt` counts failures, from 0.
 */
export const pauseBefore = (attempt: number, random: () => number = Math.random): number =>
  Math.round(random() * Math.min(longestMs, firstMs * 2 ** Math.min(attempt, 10)))

/**
 * Milliseconds before the next attempt where the platform said how long to wait: that, and up to a
 * second or a quarter of it more, since many devices were told the same second.
 */
export const pauseAfter = (retryIn: number, random: () => number = Math.random): number =>
  Math.round(retryIn + random() * Math.max(1000, retryIn / 4))
