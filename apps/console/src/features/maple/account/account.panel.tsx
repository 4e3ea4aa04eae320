import type { MapleAccount } from '@grove/contract'
import { useLingui } from '@lingui/react/macro'
import { Trash2 } from 'lucide-react'
import { api } from '../../../session/api.ts'
import { useConfirmed } from '../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { ItemPanel, type OpenItem } from '../../../ui/panel/item-panel.tsx'
import { PanelAction } from '../../../ui/panel/panel-action.tsx'
import { PanelFacts } from '../../../ui/panel/panel-facts.tsx'
import { accounts } from './account.api.ts'
import { EditAccount } from './account.form.tsx'
import { ValidityBadge } from './account.labels.tsx'

/** One account: its details, or its form. */
export function AccountPanel(panel: OpenItem) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const remove = ({ id, revision }: MapleAccount) =>
    confirmed({
      question: {
        title: t`Delete this account?`,
        text: t`User ${id} loses every Maple role. The user itself stays and can be registered again.`,
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
      title={() => t`Account`}
      missing={t`There is no account with this id.`}
      renderActions={(account) => (
        <PanelAction icon={Trash2} label={t`Delete…`} onAct={() => void remove(account)} />
      )}
      renderForm={(account, onEnd) => (
        <EditAccount key={account.id} account={account} onEnd={onEnd} />
      )}
    >
      {({ expiresAt, roles, createdAt, updatedAt }) => (
        <PanelFacts
          facts={[
            [t`State`, <ValidityBadge key="state" expiresAt={expiresAt} />],
            [t`Roles`, roles.join(', ') || '–'],
            [t`Expires`, <DateText key="expires" value={expiresAt} />],
            [t`Created`, <DateText key="created" value={createdAt} />],
            [t`Changed`, <DateText key="changed" value={updatedAt} />],
          ]}
        />
      )}
    </ItemPanel>
  )
}
