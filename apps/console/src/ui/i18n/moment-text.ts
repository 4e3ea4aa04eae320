import type { I18n } from '@lingui/core'

/** Shown if there is nothing. */
export const dash = '–'

/** A timestamp of a response in the reader's language; a dash if it is absent or invalid. */
export function momentText(
  i18n: I18n,
  value: string | number | Date | null | undefined,
  format: Intl.DateTimeFormatOptions,
): string {
  const date = new Date(value ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? dash : i18n.date(date, format)
}
