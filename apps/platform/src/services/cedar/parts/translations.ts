import { defaultLocale, type LocaleCode } from '@grove/contract/locale.rules'
import { invalidField } from '../../../core/http/problem.ts'
import { storedName } from '../../../core/http/stored-name.ts'

interface Titled {
  localeCode: LocaleCode
  title: string
}

/** Allows one translation per locale, with a title on one line that is not blank. */
export function checkTranslations<T extends Titled>(translations: readonly T[]): T[] {
  const seen = new Set<string>()
  return translations.map((translation, index) => {
    const path = `translations.${index}`
    if (seen.has(translation.localeCode))
      throw invalidField(`${path}.localeCode`, 'uniqueItems', 'The locale appears twice.')
    seen.add(translation.localeCode)
    return { ...translation, title: storedName(`${path}.title`, translation.title) }
  })
}

/** Returns the title in a locale, else in the default one, else in any. */
export function titleOf(translations: readonly Titled[], locale: LocaleCode = defaultLocale) {
  const inLocale = (code: LocaleCode) => translations.find(({ localeCode }) => localeCode === code)
  return (inLocale(locale) ?? inLocale(defaultLocale) ?? translations[0])?.title ?? ''
}

/** Returns text to search and sort by: the same on both engines, whatever their locale. */
export const searchable = (text: string): string => text.normalize('NFKC').toLowerCase()

/** Returns the text that a search reads: the titles in every locale. */
export const searchTextOf = (translations: readonly Titled[]): string =>
  translations.map(({ title }) => searchable(title)).join('\n')
