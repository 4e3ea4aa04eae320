import { useLingui } from '@lingui/react/macro'
import { ItemPanel, type OpenItem } from '../../../ui/panel/item-panel.tsx'
import { useProviderName } from '../parts/use-provider-name.ts'
import { ProviderActions } from './provider-actions.tsx'
import { ProviderParts } from './provider-parts.tsx'
import { providers } from './provider.api.ts'
import { EditProvider } from './provider.form.tsx'

/** One provider: its details, or its form. */
export function ProviderPanel(panel: OpenItem) {
  const { t } = useLingui()
  const nameOf = useProviderName()
  return (
    <ItemPanel
      {...panel}
      query={providers.one(panel.id)}
      title={nameOf}
      missing={t`There is no provider with this ID.`}
      renderActions={(provider) => <ProviderActions provider={provider} onGone={panel.onClose} />}
      renderForm={(provider, onEnd) => (
        <EditProvider key={provider.id} provider={provider} onEnd={onEnd} />
      )}
    >
      {(provider) => <ProviderParts key={provider.id} provider={provider} />}
    </ItemPanel>
  )
}
