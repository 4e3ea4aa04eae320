import { isLocale } from '@grove/contract/locale.rules'
import { chooseLocale, currentLocale, type Locale } from '../../../ui/i18n/locale.ts'
import { chooseColourScheme, type ColourScheme } from '../../../ui/preferences/colour-scheme.ts'

export type KitSearch = {
  scheme?: ColourScheme | undefined
  locale?: Locale | undefined
}

const isScheme = (value: unknown): value is ColourScheme =>
  value === 'light' || value === 'dark' || value === 'auto'

export const kitSearch = ({ scheme, locale }: Record<string, unknown>): KitSearch => ({
  scheme: isScheme(scheme) ? scheme : undefined,
  locale: typeof locale === 'string' && isLocale(locale) ? locale : undefined,
})

/** The URL wins over an earlier choice, so that a link shows what its sender saw. */
export async function applyKitSearch({ scheme, locale }: KitSearch): Promise<void> {
  if (scheme) chooseColourScheme(scheme)
  if (locale && locale !== currentLocale()) await chooseLocale(locale)
}
