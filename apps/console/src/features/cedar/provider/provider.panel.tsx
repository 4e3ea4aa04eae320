import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { FolderInput, Power, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../session/api.ts'
import { useConfirmed } from '../../../ui/dialog/use-confirmed.ts'
import { Bytes } from '../../../ui/i18n/bytes.tsx'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { Tabs } from '../../../ui/kit/tabs.tsx'
import { useAddress } from '../../../ui/table/use-address.ts'
import { ItemPanel, type OpenItem } from '../../../ui/panel/item-panel.tsx'
import { PanelAction } from '../../../ui/panel/panel-action.tsx'
import { PanelFacts } from '../../../ui/panel/panel-facts.tsx'
import { ActivityTab } from '../parts/activity/activity-tab.tsx'
import { useProviderName } from '../parts/use-provider-name.ts'
import { providers } from './provider.api.ts'
import { ProviderApi } from './provider-api.tsx'
import { ProviderFares } from './provider-fares.tsx'
import { EditProvider } from './provider.form.tsx'
import { ProviderStateBadge, useProviderWords } from './provider.labels.tsx'
import { ProviderIcon } from './provider-icon.tsx'
import { ProviderRights } from './provider-rights.tsx'
import { providerSearch, providerTabs, type ProviderTab } from './provider.search.ts'
import { ProviderStorage } from './provider-storage.tsx'
import { ProviderTransfers } from './provider-transfers.tsx'
import styles from './provider-users.module.css'
import { ProviderUsers } from './provider-users.tsx'
import { TransferApps } from './transfer-apps.tsx'

/** One provider: its details, or its form. */
export function ProviderPanel(panel: OpenItem) {
  const { t } = useLingui()
  const nameOf = useProviderName()
  const { remove, setEnabled, refusalOf } = useProviderActions(panel.onClose)
  const [isTransferring, setIsTransferring] = useState(false)
  return (
    <ItemPanel
      {...panel}
      query={providers.one(panel.id)}
      title={nameOf}
      missing={t`There is no provider with this ID.`}
      renderActions={(provider) => (
        <>
          <PanelAction
            icon={Power}
            label={provider.enabled ? t`Disable…` : t`Enable…`}
            onAct={() => void setEnabled(provider)}
          />
          <PanelAction
            icon={FolderInput}
            label={t`Transfer apps here…`}
            onAct={() => setIsTransferring(true)}
          />
          <PanelAction
            icon={Trash2}
            label={t`Delete…`}
            refusal={refusalOf(provider)}
            onAct={() => void remove(provider)}
          />
          {isTransferring && (
            <TransferApps provider={provider} onClose={() => setIsTransferring(false)} />
          )}
        </>
      )}
      renderForm={(provider, onEnd) => (
        <EditProvider key={provider.id} provider={provider} onEnd={onEnd} />
      )}
    >
      {(provider) => <ProviderParts key={provider.id} provider={provider} />}
    </ItemPanel>
  )
}

/** A form that is open keeps what was typed while others are looked at (`draft`). */
function ProviderParts({ provider }: { provider: AdminProvider }) {
  const { t } = useLingui()
  const { search, onSearch } = useAddress(providerSearch)
  const { tab = 'profile' } = search
  const labels: Record<ProviderTab, string> = {
    profile: t`Profile`,
    rights: t`Rights`,
    fares: t`Fares`,
    api: t`API`,
    activity: t`Activity`,
  }
  return (
    <Tabs
      label={t`Parts of the provider`}
      tabs={providerTabs.map((id) => ({ id, label: labels[id] }))}
      selected={tab}
      onSelect={(id) => onSearch({ tab: id === 'profile' ? undefined : id })}
    >
      {tab === 'profile' && (
        <div className={styles.parts}>
          <ProviderIcon provider={provider} />
          <ProviderFacts provider={provider} />
          <ProviderStorage id={provider.id} />
          <ProviderUsers provider={provider} />
          <ProviderTransfers provider={provider} />
        </div>
      )}
      {tab === 'rights' && <ProviderRights provider={provider} />}
      {tab === 'fares' && <ProviderFares provider={provider} />}
      {tab === 'api' && <ProviderApi provider={provider} />}
      {tab === 'activity' && <ActivityTab subject={{ providerId: provider.id }} />}
    </Tabs>
  )
}

function ProviderFacts({ provider }: { provider: AdminProvider }) {
  const { t, i18n } = useLingui()
  const words = useProviderWords()
  const { use, limitsInForce } = provider
  const [live, products] = [i18n.number(use.liveProducts), i18n.number(use.products)]
  const maxProducts = i18n.number(limitsInForce.products)
  return (
    <PanelFacts
      facts={[
        [t`State`, <ProviderStateBadge key="state" enabled={provider.enabled} />],
        [t`Kind`, words.kind[provider.isDefault ? 'personal' : 'organisation']],
        [t`Stage`, words.stage[provider.stage]],
        [t`Authentication provider`, provider.authProvider ?? t`The platform’s own`],
        [t`Apps`, t`${products} of ${maxProducts}, ${live} live`],
        [
          t`Storage`,
          <Trans key="storage">
            <Bytes value={use.storageBytes} /> of <Bytes value={limitsInForce.storageBytes} />
          </Trans>,
        ],
        [t`Versions of an app`, t`up to ${i18n.number(limitsInForce.versionsPerProduct)}`],
        [t`Previews per hour`, t`up to ${i18n.number(limitsInForce.previewTokensPerHour)}`],
        [t`Created`, <DateText key="created" value={provider.createdAt} />],
      ]}
    />
  )
}

function useProviderActions(onClose: () => void) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const nameOf = useProviderName()
  const remove = (provider: AdminProvider) => {
    const name = nameOf(provider)
    return confirmed({
      question: {
        title: t`Delete ${name}?`,
        text: t`The provider and its members’ access to it are deleted. This cannot be undone.`,
        action: t`Delete the provider`,
        isDanger: true,
        typeToConfirm: name,
      },
      change: () =>
        api.cedar.delete('/api/cedar/provider', {
          query: { provider: provider.id },
          ifMatch: provider.revision,
        }),
      done: () => t`${name} is deleted.`,
      onDone: onClose,
      refresh: providers.refresh,
    })
  }
  const setEnabled = (provider: AdminProvider) => {
    const name = nameOf(provider)
    const { enabled, id, revision, use } = provider
    const liveApps = plural(use.liveProducts, { one: '# live app', other: '# live apps' })
    const links = plural(use.links, { one: '# link', other: '# links' })
    const linksText =
      use.links === 0 ? '' : ` ${t`During this time, ${links} of its apps will not work.`}`
    return confirmed({
      question: enabled
        ? {
            title: t`Disable ${name}?`,
            text:
              use.liveProducts === 0
                ? t`It has no live app. Apps that go live later stay out of the catalogue until you enable it again.`
                : t`It has ${liveApps}: they leave the catalogue immediately and return when you enable it again.` +
                  linksText,
            action: t({ message: 'Disable', context: 'a provider' }),
            isDanger: true,
          }
        : {
            title: t`Enable ${name}?`,
            text: t`Its live apps return to the catalogue immediately.`,
            action: t`Enable`,
          },
      change: () =>
        api.cedar.put('/api/admin/provider/{id}', {
          params: { id },
          ifMatch: revision,
          body: { enabled: !enabled },
        }),
      done: () => (enabled ? t`${name} is disabled.` : t`${name} is enabled.`),
      refresh: providers.refresh,
    })
  }
  const refusalOf = ({ rights }: AdminProvider) =>
    rights.delete === 'provider_is_personal'
      ? t`A personal provider stays with its developer.`
      : rights.delete
        ? t`Delete its apps first, or transfer them.`
        : undefined
  return { remove, setEnabled, refusalOf }
}
