/** The overview counts the devices registered on each of this many days, today included (UTC). */
export const growthDays = 30

/** The overview counts this many accounts and jobs at most. */
export const aboutCountLimit = 10_000
