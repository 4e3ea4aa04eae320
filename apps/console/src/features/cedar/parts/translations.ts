import type { ProductVersion } from '@grove/contract'
import type { Locale } from '../../../ui/i18n/locale.ts'

export const locales: readonly Locale[] = ['en-US', 'ru-RU']

/** EN, RU. */
export const localeTag = (locale: Locale) => locale.slice(0, 2).toUpperCase()

/** A version needs it to go live, and it stands in where another is missing. */
export const defaultLocale: Locale = 'en-US'

/** Characters that a field may have; the order is that of the form. */
export const textLimits = { title: 30, shortDescription: 80, description: 4000, whatsNew: 500 }
export type TextField = keyof typeof textLimits

export type Translation = ProductVersion['translations'][number]
export type Texts = Record<TextField, string>
export type Draft = Record<Locale, Texts>

const isTextField = (name: string): name is TextField => name in textLimits
export const versionFields = Object.keys(textLimits).filter(isTextField)

const noTexts: Texts = { title: '', shortDescription: '', description: '', whatsNew: '' }

export const toDraft = (translations: readonly Translation[]): Draft => {
  const inLocale = (locale: Locale) =>
    translations.find(({ localeCode }) => localeCode === locale) ?? {}
  return {
    'en-US': { ...noTexts, ...inLocale('en-US') },
    'ru-RU': { ...noTexts, ...inLocale('ru-RU') },
  }
}

export const isBlank = (texts: Texts) => versionFields.every((field) => texts[field].trim() === '')

/** What is sent: locales with nothing in them are left out, and so are empty fields. */
export const fromDraft = (draft: Draft): Translation[] =>
  locales
    .filter((locale) => !isBlank(draft[locale]))
    .map((localeCode) => {
      const { title, ...others } = draft[localeCode]
      const filled = Object.entries(others).filter(
        ([field, text]) => isTextField(field) && text.trim() !== '',
      )
      return { localeCode, title: title.trim(), ...Object.fromEntries(filled) }
    })

export const isSameDraft = (one: Draft, other: Draft) =>
  locales.every((locale) =>
    versionFields.every((field) => one[locale][field] === other[locale][field]),
  )

/** As the platform counts: an emoji is one character, not two. */
export const countCharacters = (text: string) => Array.from(text).length

interface Titled {
  localeCode: Locale
  title: string
}

/** The title in a locale, else in the default one, else in any, and the locale it is in. */
export function titleIn(translations: readonly Titled[], locale: Locale): Titled {
  const find = (code: Locale) => translations.find(({ localeCode }) => localeCode === code)
  return (
    find(locale) ?? find(defaultLocale) ?? translations[0] ?? { localeCode: locale, title: '—' }
  )
}

export const missingLocales = (translations: readonly Titled[]) =>
  locales.filter((locale) => !translations.some(({ localeCode }) => localeCode === locale))
