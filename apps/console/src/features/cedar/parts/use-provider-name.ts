import type { Provider } from '@grove/contract/cedar/provider'
import { useLingui } from '@lingui/react/macro'
import { currentLocale } from '../../../ui/i18n/locale.ts'

/** A provider's name in the reader's language, or in another that it has. */
export function useProviderName() {
  const { t } = useLingui()
  const locale = currentLocale()
  return ({ translations, isDefault }: Pick<Provider, 'translations' | 'isDefault'>) =>
    (translations.find(({ localeCode }) => localeCode === locale) ?? translations[0])?.name ??
    (isDefault ? t`My own apps` : t`Unnamed provider`)
}
