import type { MapleAccount } from '@grove/contract/maple/access/account'
import { Trans, useLingui } from '@lingui/react/macro'
import { Trash2 } from 'lucide-react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { useMinute } from '../../../../ui/i18n/shared-clock.ts'
import { ItemPanel, type OpenItem } from '../../../../ui/panel/item-panel.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { PanelFacts } from '../../../../ui/panel/panel-facts.tsx'
import { AccountHistory } from './account-history.tsx'
import { AccountRights } from './account-rights.tsx'
import { AccountRoles } from './account-roles.tsx'
import { Person } from '../../../../people/person.tsx'
import { usePeople } from '../../../../people/use-people.ts'
import { accounts } from './account.api.ts'
import { EditAccount } from './account.form.tsx'
import { validityOf } from './account-validity.ts'
import { ValidityBadge } from './account.labels.tsx'
import { ServiceName } from '../../base/service-name.tsx'

/** One account: its details, or its form. */
export function AccountPanel(panel: OpenItem) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const who = usePeople([panel.id], { isWithViewer: true }).emailOf(panel.id) ?? panel.id
  const remove = ({ id, revision }: MapleAccount) =>
    confirmed({
      question: {
        title: t`Delete this account?`,
        text: t`User ${who} loses every Maple role. The user itself stays and can be registered again.`,
        action: t`Delete the account`,
        isDanger: true,
      },
      change: () => api.maple.delete('/api/maple/account', { query: { id }, ifMatch: revision }),
      done: () => t`The account is deleted.`,
      onDone: panel.onClose,
      refresh: accounts.refresh,
    })
  return (
    <ItemPanel
      {...panel}
      query={accounts.one(panel.id)}
      title={() => (who === panel.id ? t`Account` : who)}
      missing={t`There is no account with this ID.`}
      renderActions={(account) => (
        <PanelAction icon={Trash2} label={t`Delete…`} onAct={() => void remove(account)} />
      )}
      renderForm={(account, onEnd) => (
        <EditAccount key={account.id} account={account} onEnd={onEnd} />
      )}
    >
      {(account) => (
        <div className="form">
          <ExpiryWarning expiresAt={account.expiresAt} />
          <AccountFacts account={account} />
          <AccountRoles account={account} />
          <AccountRights id={account.id} />
          <AccountHistory id={account.id} />
        </div>
      )}
    </ItemPanel>
  )
}

function AccountFacts({ account }: { account: MapleAccount }) {
  const { t } = useLingui()
  const { id, expiresAt, serviceId, createdAt, updatedAt } = account
  return (
    <PanelFacts
      facts={[
        [t`Person`, <Person key="person" id={id} isLinked isByEmail />],
        [t`State`, <ValidityBadge key="state" expiresAt={expiresAt} />],
        [
          t`Service provider`,
          serviceId === null ? '–' : <ServiceName key="provider" id={serviceId} />,
        ],
        [t`Expires`, <DateText key="expires" value={expiresAt} />],
        [t`Created`, <DateText key="created" value={createdAt} />],
        [t`Changed`, <DateText key="changed" value={updatedAt} />],
      ]}
    />
  )
}

/** Before and after the rights expire. */
function ExpiryWarning({ expiresAt }: Pick<MapleAccount, 'expiresAt'>) {
  const validity = validityOf(expiresAt, useMinute())
  if (expiresAt === null || validity === 'active') return null
  return (
    <div className="notice">
      <p>
        {validity === 'expiring' ? (
          <Trans>
            Expires <DateText value={expiresAt} isRelative />. Edit it to extend the account.
          </Trans>
        ) : (
          <Trans>
            Expired <DateText value={expiresAt} isRelative />: the user has no rights in Maple.
          </Trans>
        )}
      </p>
    </div>
  )
}
