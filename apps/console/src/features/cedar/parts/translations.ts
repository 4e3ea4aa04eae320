import type { ProductVersion } from '@grove/contract'
import type { Locale } from '../../../ui/i18n/locale.ts'
import {
  versionTextLimits,
  type VersionTextField,
} from '@grove/contract/cedar/product-version.rules'
import { defaultLocale, locales } from '@grove/contract/locale.rules'
import { normaliseName } from '@grove/contract/name.rules'

/** EN, RU. */
export const localeTag = (locale: Locale) => locale.slice(0, 2).toUpperCase()

export type Translation = ProductVersion['translations'][number]
export type Texts = Record<VersionTextField, string>
export type Draft = Record<Locale, Texts>

const isTextField = (name: string): name is VersionTextField => name in versionTextLimits
export const versionFields = Object.keys(versionTextLimits).filter(isTextField)

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
      return { localeCode, title: normaliseName(title), ...Object.fromEntries(filled) }
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
