/** The languages that texts are written in (spec §3 "Locales"). */
export const locales = ['en-US', 'ru-RU'] as const
export type LocaleCode = (typeof locales)[number]

/** A version needs it to go live; it replaces a missing language. */
export const defaultLocale: LocaleCode = 'en-US'

export const isLocale = (value: unknown): value is LocaleCode =>
  locales.some((locale) => locale === value)
