/** The tolerance in milliseconds between two clock readings before the clock counts as set back. */
export const CLOCK_JITTER = 1000

/** Minimum milliseconds before a new token may be refreshed, regardless of the clock or a 401. */
export const REFRESH_SPACING = 10_000
