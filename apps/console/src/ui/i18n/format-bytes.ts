const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte']

/** Bytes in decimal units (1 kB = 1000 B), with one decimal where it matters. */
export function formatBytes(value: number, locale: string) {
  let amount = value
  let unit = 0
  // 999.95 would appear as 1,000.
  while (amount >= 999.95 && unit < units.length - 1) {
    amount /= 1000
    unit += 1
  }
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: units[unit] ?? 'byte',
    // The short form has no plural: "34 byte".
    unitDisplay: unit === 0 ? 'long' : 'short',
    maximumFractionDigits: unit === 0 || amount >= 100 ? 0 : 1,
  }).format(amount)
}
