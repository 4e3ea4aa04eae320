const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

// Creating a formatter costs more than the rest of a table cell.
let format: { locale: string; with: Intl.RelativeTimeFormat } | undefined

/** A distance in milliseconds in words: "3 hours ago", "через 2 дня"; below a minute, "now". */
export function relativeTime(distance: number, locale: string) {
  const [unit, length] = units.find(([, length]) => Math.abs(distance) >= length) ?? ['second', 0]
  const count = length === 0 ? 0 : Math.trunc(distance / length)
  if (format?.locale !== locale)
    format = { locale, with: new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }) }
  return format.with.format(count, unit)
}
