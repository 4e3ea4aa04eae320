/** Dates in the reader's calendar as `YYYY-MM-DD`, both inclusive; a URL can contain them. */
export interface DayRange {
  from: string
  to: string
}

export type Preset = 'today' | 'week' | 'month' | 'this-month' | 'last-month'

const padded = (value: number, length: number) => String(value).padStart(length, '0')

const dayOf = (date: Date) =>
  [padded(date.getFullYear(), 4), padded(date.getMonth() + 1, 2), padded(date.getDate(), 2)].join(
    '-',
  )

/** The first moment of a day in the reader's time zone, where a day may have 23 or 25 hours. */
export function startOfDay(day: string, plusDays = 0): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + plusDays)
}

/** The range of a URL that has both ends. */
export const daysOf = ({ from, to }: Partial<DayRange>): DayRange | null =>
  from !== undefined && to !== undefined ? { from, to } : null

/** The moments that a date range covers: from the first, until just before the second. */
export const momentsOf = ({ from, to }: DayRange) => ({
  from: startOfDay(from).toISOString(),
  before: startOfDay(to, 1).toISOString(),
})

/** The dates of a preset on the day of `now`. */
export function presetRange(preset: Preset, now: Date): DayRange {
  const year = now.getFullYear()
  const month = now.getMonth()
  const date = now.getDate()
  const days = (from: Date, to: Date) => ({ from: dayOf(from), to: dayOf(to) })
  switch (preset) {
    case 'today':
      return days(now, now)
    case 'week':
      return days(new Date(year, month, date - 6), now)
    case 'month':
      return days(new Date(year, month, date - 29), now)
    case 'this-month':
      return days(new Date(year, month, 1), now)
    case 'last-month':
      return days(new Date(year, month - 1, 1), new Date(year, month, 0))
  }
}

/** "Nov 1 – 7, 2026": without repeating what the locale does not repeat. */
export const rangeText = ({ from, to }: DayRange, locale: string) =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).formatRange(
    startOfDay(from),
    startOfDay(to),
  )
