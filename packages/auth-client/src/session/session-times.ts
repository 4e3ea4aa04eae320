/** Milliseconds between two readings of the clock that do not mean that it was set back. */
export const CLOCK_JITTER = 1000

/** Milliseconds before a new token may be refreshed, regardless of the clock or a 401. */
export const REFRESH_SPACING = 10_000
