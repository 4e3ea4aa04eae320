import type { MapleService } from '@grove/contract/maple/access/service'
import { Trans, useLingui } from '@lingui/react/macro'
import { useRouteContext } from '@tanstack/react-router'
import { isUuid } from '@grove/auth-client/rules'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Tabs } from '../../../../ui/kit/tabs.tsx'
import { PanelFacts } from '../../../../ui/panel/panel-facts.tsx'
import { useAddress } from '../../../../ui/table/use-address.ts'
import { ServiceActivity } from './service-activity.tsx'
import { ServiceCounts } from './service-counts.tsx'
import { ServiceKeys } from './service-keys.tsx'
import { ServiceStateBadge } from './service.labels.tsx'
import { ServiceMembers } from './service-members.tsx'
import { serviceSearch, type ServiceTab } from './service.search.ts'
import { ServiceUse } from './service-use.tsx'

/** Everything about one service provider, in its panel and on its page. */
export function ServiceParts({ service }: { service: MapleService }) {
  const { t } = useLingui()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const { search, onSearch } = useAddress(serviceSearch)
  const labels: Partial<Record<ServiceTab, string>> = {
    overview: t`Overview`,
    // Accounts are people, who are not shown to a working stage.
    ...(viewer.isAdmin && { accounts: t`Accounts` }),
    // Only a working stage has keys; its ID is that of its provider.
    ...(isUuid(service.id) && { keys: t`API keys` }),
    activity: t`Activity`,
  }
  const tabs = Object.entries(labels).map(([id, label]) => ({ id: id as ServiceTab, label }))
  const { id: tab } = tabs.find(({ id }) => id === search.tab) ?? { id: 'overview' }
  return (
    <Tabs
      label={t`Parts of the service provider`}
      tabs={tabs}
      selected={tab}
      onSelect={(id) => onSearch({ tab: id === 'overview' ? undefined : id })}
    >
      {tab === 'overview' && <Overview service={service} />}
      {tab === 'accounts' && <ServiceMembers id={service.id} />}
      {tab === 'keys' && <ServiceKeys id={service.id} />}
      {tab === 'activity' && <ServiceActivity id={service.id} />}
    </Tabs>
  )
}

function Overview({ service: { id, state, createdAt, updatedAt } }: { service: MapleService }) {
  const { t } = useLingui()
  return (
    <div className="form">
      {state === 'suspended' && (
        <p className="notice">
          <Trans>
            Suspended: its accounts have no rights, and no device or account can be added to it.
            Existing ones stay unchanged.
          </Trans>
        </p>
      )}
      <PanelFacts
        facts={[
          [t`State`, <ServiceStateBadge key="state" state={state} />],
          [t`Created`, <DateText key="created" value={createdAt} />],
          [t`Changed`, <DateText key="changed" value={updatedAt} />],
        ]}
      />
      <ServiceCounts id={id} />
      <ServiceUse id={id} />
    </div>
  )
}
