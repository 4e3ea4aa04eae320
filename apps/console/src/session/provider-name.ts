import type { Provider } from '@grove/contract/cedar/provider'
import { currentLocale } from '../ui/i18n/locale.ts'

/** A provider's name in the reader's language, or in any other. */
export function providerName({ translations }: Pick<Provider, 'translations'>): string | undefined {
  const locale = currentLocale()
  return (translations.find(({ localeCode }) => localeCode === locale) ?? translations[0])?.name
}
