import { defaultLocale, type LocaleCode } from '@grove/contract/locale.rules'
import { invalidField } from '../../../core/http/problem.ts'
import { storedName } from '../../../core/http/stored-name.ts'

interface Localised {
  localeCode: LocaleCode
}

interface Titled extends Localised {
  title: string
}

/** Allows one entry per locale, and normalises each name with `stored`. */
function checkLocales<T extends Localised>(
  entries: readonly T[],
  path: string,
  stored: (entry: T, path: string) => T,
): T[] {
  const seen = new Set<string>()
  return entries.map((entry, index) => {
    const place = `${path}.${index}`
    if (seen.has(entry.localeCode))
      throw invalidField(`${place}.localeCode`, 'uniqueItems', 'The locale appears twice.')
    seen.add(entry.localeCode)
    return stored(entry, place)
  })
}

/** Allows one translation per locale, with a non-blank title on one line. */
export const checkTranslations = <T extends Titled>(translations: readonly T[]): T[] =>
  checkLocales(translations, 'translations', (translation, place) => ({
    ...translation,
    title: storedName(`${place}.title`, translation.title),
  }))

/** The same for names, which are at `path` of the request. */
export const checkNames = <T extends Localised & { name: string }>(
  names: readonly T[],
  path: string,
): T[] =>
  checkLocales(names, path, (entry, place) => ({
    ...entry,
    name: storedName(`${place}.name`, entry.name),
  }))

/** Returns the entry of a locale, else of the default one, else any. */
export function inLocale<T extends Localised>(
  entries: readonly T[],
  locale: LocaleCode = defaultLocale,
): T | undefined {
  const of = (code: LocaleCode) => entries.find(({ localeCode }) => localeCode === code)
  return of(locale) ?? of(defaultLocale) ?? entries[0]
}

/** Returns the title in a locale, else in the default one, else in any. */
export const titleOf = (translations: readonly Titled[], locale?: LocaleCode): string =>
  inLocale(translations, locale)?.title ?? ''

/** Returns text to search and sort by: the same on both engines, whatever their locale. */
export const searchable = (text: string): string => text.normalize('NFKC').toLowerCase()

/** Returns the text to search: the titles in every locale. */
export const searchTextOf = (translations: readonly Titled[]): string =>
  translations.map(({ title }) => searchable(title)).join('\n')
