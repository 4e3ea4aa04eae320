import type { LocaleCode } from '@grove/contract/locale.rules'

type Translation<Field extends string> = { localeCode: LocaleCode } & {
  [key in Field]?: string
}

/** A text and its language, for the element that shows it. */
export interface LocalisedText {
  text: string
  lang: LocaleCode
}

/** The reader's locale first, then the one that every live version has. */
const rank = (locale: LocaleCode, reader: LocaleCode) =>
  locale === reader ? 0 : locale === 'en-US' ? 1 : 2

/** A text in the reader's locale; if missing or blank there, in another. */
export function localised<Field extends string>(
  translations: readonly Translation<Field>[],
  field: Field,
  reader: LocaleCode,
): LocalisedText | undefined {
  const [best] = translations
    .flatMap(({ localeCode: lang, [field]: text }) => (text?.trim() ? [{ text, lang }] : []))
    .toSorted((a, b) => rank(a.lang, reader) - rank(b.lang, reader))
  return best
}

/** The items for the reader's locale; if there are none, those of another locale that has some. */
export function inBestLocale<Thing extends { localeCode: LocaleCode }>(
  things: readonly Thing[],
  reader: LocaleCode,
): Thing[] {
  const [best] = things.toSorted((a, b) => rank(a.localeCode, reader) - rank(b.localeCode, reader))
  return things.filter(({ localeCode }) => localeCode === best?.localeCode)
}
