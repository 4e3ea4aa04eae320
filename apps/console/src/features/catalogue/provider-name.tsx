import type { CatalogueProduct } from '@grove/contract/cedar/catalogue'
import { useLingui } from '@lingui/react/macro'
import { currentLocale } from '../../ui/i18n/locale.ts'
import { localised } from './localised.ts'

/** Who publishes an app. */
export function ProviderName({ provider }: Pick<CatalogueProduct, 'provider'>) {
  const { t } = useLingui()
  const name = provider && localised(provider.translations, 'name', currentLocale())
  return name ? <bdi lang={name.lang}>{name.text}</bdi> : t`Independent developer`
}
