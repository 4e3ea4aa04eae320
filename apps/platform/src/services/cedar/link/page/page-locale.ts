import { defaultLocale, locales, type LocaleCode } from '@grove/contract/locale.rules'

/** The page's language: the requested one, otherwise the reader's preferred one. */
export function localeOf(lang: unknown, accepted: string | undefined): LocaleCode {
  return (typeof lang === 'string' && localeNamed(lang)) || preferred(accepted) || defaultLocale
}

/** `ru`, `ru-RU` and `RU` are the same. */
const localeNamed = (name: string): LocaleCode | undefined => {
  const language = name.trim().slice(0, 35).toLowerCase().split('-')[0]
  return locales.find((locale) => locale.split('-')[0] === language)
}

/** RFC 9110 §12.5.4: `ru;q=0.8, en;q=0.5`. */
const preferred = (accepted = ''): LocaleCode | undefined =>
  accepted
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [name = '', weight] = part.split(';')
      const quality = Number(/^\s*q=([\d.]+)\s*$/.exec(weight ?? 'q=1')?.[1])
      return { locale: localeNamed(name), quality }
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((one, other) => other.quality - one.quality)
    .find(({ locale }) => locale !== undefined)?.locale
