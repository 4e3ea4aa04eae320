import type { ProductVersion } from '@grove/contract/cedar/product-version'
import type { Locale } from '../../../ui/i18n/locale.ts'
import {
  versionTextLimits,
  type VersionTextField,
} from '@grove/contract/cedar/product-version.rules'
import { locales } from '@grove/contract/locale.rules'
import { normaliseName } from '@grove/contract/name.rules'

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

/** What is sent: empty locales and empty fields are left out. */
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

/** Counts like the platform: an emoji is one character, not two. */
export const countCharacters = (text: string) => Array.from(text).length
