import type { LocaleCode } from '@grove/contract'
import { invalidField } from '../../core/http/problem.ts'

/** The locale that a version needs to go live, and that stands in where another is missing. */
export const defaultLocale: LocaleCode = 'en-US'

interface Titled {
  localeCode: LocaleCode
  title: string
}

/** One translation a locale, its title on one line and not blank. */
export function checkTranslations<T extends Titled>(translations: readonly T[]): T[] {
  const seen = new Set<string>()
  return translations.map((translation, index) => {
    const path = `translations.${index}`
    if (seen.has(translation.localeCode))
      throw invalidField(`${path}.localeCode`, 'uniqueItems', 'A locale is given twice.')
    seen.add(translation.localeCode)
    const title = translation.title.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
    if (title === '') throw invalidField(`${path}.title`, 'minLength', 'A title cannot be blank.')
    return { ...translation, title }
  })
}

/** The title in a locale, else in the default one, else in any. */
export function titleOf(translations: readonly Titled[], locale: LocaleCode = defaultLocale) {
  const inLocale = (code: LocaleCode) => translations.find(({ localeCode }) => localeCode === code)
  return (inLocale(locale) ?? inLocale(defaultLocale) ?? translations[0])?.title ?? ''
}

/** Text as it is searched and sorted: the same on both engines, whatever their locale. */
export const searchable = (text: string): string => text.normalize('NFKC').toLowerCase()

/** What a search looks through: the titles in every locale. */
export const searchTextOf = (translations: readonly Titled[]): string =>
  translations.map(({ title }) => searchable(title)).join('\n')

/** A pattern of `like` for any text that holds this one. */
export const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
