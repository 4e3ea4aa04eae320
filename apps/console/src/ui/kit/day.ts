/** An actual calendar date as `YYYY-MM-DD`: not 30 February. */
export const isDay = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^[1-9]\d{3}-\d{2}-\d{2}$/.test(value) &&
  new Date(`${value}T00:00Z`).toJSON()?.startsWith(value)

/** The date in a URL, if it has one. */
export const dayOf = (value: unknown) => (isDay(value) ? value : undefined)
