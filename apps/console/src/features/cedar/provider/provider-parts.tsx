import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import { Trans, useLingui } from '@lingui/react/macro'
import { useRouteContext } from '@tanstack/react-router'
import { useWorkingProvider } from '../../../session/working-provider.ts'
import { Bytes } from '../../../ui/i18n/bytes.tsx'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { dash } from '../../../ui/i18n/moment-text.ts'
import { Tabs } from '../../../ui/kit/tabs.tsx'
import { Link } from '../../../ui/link/link.tsx'
import { PanelFacts } from '../../../ui/panel/panel-facts.tsx'
import { useAddress } from '../../../ui/table/use-address.ts'
import { ActivityTab } from '../parts/activity/activity-tab.tsx'
import { ProviderApi } from './provider-api.tsx'
import { ProviderFares } from './provider-fares.tsx'
import { ProviderIcon } from './provider-icon.tsx'
import { ProviderStateBadge, useProviderWords } from './provider.labels.tsx'
import { ProviderRights } from './provider-rights.tsx'
import { providerSearch, providerTabs, type ProviderTab } from './provider.search.ts'
import { ProviderStorage } from './provider-storage.tsx'
import { ProviderTransfers } from './provider-transfers.tsx'
import styles from './provider-users.module.css'
import { ProviderUsers } from './provider-users.tsx'

/**
 * Everything about one provider, in its panel and on its page. It is read-only for anyone who may not
 * change it. An open form keeps what was typed while the reader visits other tabs (`draft`).
 */
export function ProviderParts({ provider }: { provider: AdminProvider }) {
  const { t } = useLingui()
  const { search, onSearch } = useAddress(providerSearch)
  const { tab = 'overview' } = search
  const labels: Record<ProviderTab, string> = {
    overview: t`Overview`,
    members: t`Members`,
    rights: t`Rights and keys`,
    activity: t`Activity`,
  }
  return (
    <Tabs
      label={t`Parts of the provider`}
      tabs={providerTabs.map((id) => ({ id, label: labels[id] }))}
      selected={tab}
      onSelect={(id) => onSearch({ tab: id === 'overview' ? undefined : id })}
    >
      {tab === 'overview' && (
        <div className={styles.parts}>
          <ProviderIcon provider={provider} />
          <ProviderFacts provider={provider} />
          {provider.rights.change === null && <ProviderTransfers provider={provider} />}
          <ProviderStorage id={provider.id} />
          <ProviderFares provider={provider} />
        </div>
      )}
      {tab === 'members' && (
        <div className={styles.parts}>
          <ProviderUsers provider={provider} />
        </div>
      )}
      {tab === 'rights' && (
        <div className={styles.parts}>
          <ProviderApi provider={provider} />
          <ProviderRights provider={provider} />
        </div>
      )}
      {tab === 'activity' && <ActivityTab subject={{ providerId: provider.id }} />}
    </Tabs>
  )
}

function ProviderFacts({ provider }: { provider: AdminProvider }) {
  const { t, i18n } = useLingui()
  const words = useProviderWords()
  const { use, limitsInForce } = provider
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const working = useWorkingProvider(viewer.userId)
  // Maple shows developers the stage that they work in.
  const isStage = provider.apiKeys.length > 0 && (viewer.isAdmin || working?.id === provider.id)
  const [live, products] = [i18n.number(use.liveProducts), i18n.number(use.products)]
  const maxProducts = i18n.number(limitsInForce.products)
  // A third-party service may have neither counts nor limits.
  const isCounted = products !== dash || maxProducts !== dash
  const upTo = (limit: string) => (limit === dash ? dash : t`up to ${limit}`)
  return (
    <PanelFacts
      facts={[
        [t`State`, <ProviderStateBadge key="state" enabled={provider.enabled} />],
        [t`Kind`, words.kind[provider.isDefault ? 'personal' : 'organisation']],
        [t`Stage`, words.stage[provider.stage]],
        [
          t`Authentication provider`,
          provider.authProvider === '' ? dash : (provider.authProvider ?? t`The platform’s own`),
        ],
        [
          t`Apps`,
          <Link
            key="apps"
            to="/dashboard/cedar/mobile"
            search={{ providerId: [provider.id] }}
            preload={false}
          >
            {isCounted ? t`${products} of ${maxProducts}, ${live} live` : dash}
          </Link>,
        ],
        [
          t`Storage`,
          isCounted ? (
            <Trans key="storage">
              <Bytes value={use.storageBytes} /> of <Bytes value={limitsInForce.storageBytes} />
            </Trans>
          ) : (
            dash
          ),
        ],
        [t`Versions of an app`, upTo(i18n.number(limitsInForce.versionsPerProduct))],
        [t`Previews per hour`, upTo(i18n.number(limitsInForce.previewTokensPerHour))],
        ...(isStage
          ? ([
              [
                t`IoT`,
                <Link
                  key="iot"
                  to="/dashboard/maple/providers/$id"
                  params={{ id: provider.id }}
                  preload={false}
                >
                  <Trans>Devices and usage</Trans>
                </Link>,
              ],
            ] as const)
          : []),
        [t`Created`, <DateText key="created" value={provider.createdAt} />],
      ]}
    />
  )
}
