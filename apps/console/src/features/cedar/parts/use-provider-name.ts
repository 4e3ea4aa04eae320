import type { Provider } from '@grove/contract/cedar/provider'
import { useLingui } from '@lingui/react/macro'
import { providerName } from '../../../session/provider-name.ts'

/** A provider's name, or what kind it is if it has none. */
export function useProviderName() {
  const { t } = useLingui()
  return (provider: Pick<Provider, 'translations' | 'isDefault'>) =>
    providerName(provider) ?? (provider.isDefault ? t`My own apps` : t`Unnamed provider`)
}
