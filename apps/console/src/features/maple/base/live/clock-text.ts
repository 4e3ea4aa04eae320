const clocks = new Map<string, Intl.DateTimeFormat>()

/** The time of day to the millisecond; creating a format costs more than a row. */
export function clockText(at: string, locale: string): string {
  let clock = clocks.get(locale)
  if (!clock) {
    clock = new Intl.DateTimeFormat(locale, { timeStyle: 'medium', hour12: false })
    clocks.set(locale, clock)
  }
  return `${clock.format(new Date(at))}.${at.slice(20, 23)}`
}
