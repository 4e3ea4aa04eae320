const longestMs = 60_000
const firstMs = 4000

/**
 * A connection that lasted this long was good: the next failure counts as the first. One that keeps
 * failing at its welcome is not.
 */
export const stableMs = 10_000

/**
 * Delay before the next attempt in milliseconds, with full jitter up to a limit that doubles: devices
 * that lost a connection together come back one by one. `attempt` counts failures, from 0.
 */
export const pauseBefore = (attempt: number, random: () => number = Math.random): number =>
  Math.round(random() * Math.min(longestMs, firstMs * 2 ** Math.min(attempt, 10)))

/**
 * Delay before the next attempt in milliseconds if the platform set one: that, plus up to a second or
 * a quarter of it, since many devices got the same delay.
 */
export const pauseAfter = (retryIn: number, random: () => number = Math.random): number =>
  Math.round(retryIn + random() * Math.max(1000, retryIn / 4))
