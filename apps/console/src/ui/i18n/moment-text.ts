import type { I18n } from '@lingui/core'

/** Stands where there is nothing. */
export const dash = '–'

/** A moment of an answer in the reader's language; a dash for one that is absent or none. */
export function momentText(
  i18n: I18n,
  value: string | number | Date | null | undefined,
  format: Intl.DateTimeFormatOptions,
): string {
  const date = new Date(value ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? dash : i18n.date(date, format)
}
