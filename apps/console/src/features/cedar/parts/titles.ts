import { defaultLocale, locales } from '@grove/contract/locale.rules'
import type { Locale } from '../../../ui/i18n/locale.ts'

/** EN, RU. */
export const localeTag = (locale: Locale) => locale.slice(0, 2).toUpperCase()

interface Titled {
  localeCode: Locale
  title: string
}

/** The title in a locale, else in the default one, else in any; and which locale that is. */
export function titleIn(translations: readonly Titled[], locale: Locale): Titled {
  const find = (code: Locale) => translations.find(({ localeCode }) => localeCode === code)
  return (
    find(locale) ?? find(defaultLocale) ?? translations[0] ?? { localeCode: locale, title: '—' }
  )
}

export const missingLocales = (translations: readonly Titled[]) =>
  locales.filter((locale) => !translations.some(({ localeCode }) => localeCode === locale))
