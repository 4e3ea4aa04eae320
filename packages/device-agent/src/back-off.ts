const longestMs = 60_000
const firstMs = 4000

/** A connection that held for so long was a good one: the next failure counts as the first. */
export const stableMs = 60_000

/**
 * Milliseconds before the next attempt, evenly anywhere up to a limit that doubles: devices which
 * lost a connection together come back one by one. `attempt` counts failures, from 0.
 */
export const pauseBefore = (attempt: number, random: () => number = Math.random): number =>
  Math.round(random() * Math.min(longestMs, firstMs * 2 ** Math.min(attempt, 10)))
