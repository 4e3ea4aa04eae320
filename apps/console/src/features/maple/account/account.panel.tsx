import type { MapleAccount } from '@grove/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Trash2 } from 'lucide-react'
import { problemText } from '../../../api/problem-text.ts'
import { api } from '../../../session/api.ts'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { ItemPanel, type OpenItem } from '../../../ui/panel/item-panel.tsx'
import { PanelFacts } from '../../../ui/panel/panel-facts.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { accounts } from './account.api.ts'
import { EditAccount } from './account.form.tsx'
import { ValidityBadge } from './account.labels.tsx'

/** One account: its details, or its form. */
export function AccountPanel(panel: OpenItem) {
  const { t } = useLingui()
  const remove = useDeleteAccount(panel.onClose)
  return (
    <ItemPanel
      {...panel}
      query={accounts.one(panel.id)}
      title={() => t`Account`}
      missing={t`There is no account with this id.`}
      renderActions={(account) => (
        <button type="button" className="button" onClick={() => void remove(account)}>
          <Trash2 size={16} aria-hidden />
          <Trans>Delete…</Trans>
        </button>
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

/** Deletes an account after a question. */
function useDeleteAccount(onDeleted: () => void) {
  const { i18n, t } = useLingui()
  return async ({ id, revision }: MapleAccount) => {
    const agreed = await confirm({
      title: t`Delete this account?`,
      text: t`User ${id} loses every Maple role. The user itself stays and can be registered again.`,
      action: t`Delete the account`,
      isDanger: true,
    })
    if (!agreed) return
    try {
      await api.maple.delete('/api/maple/account', { query: { id }, ifMatch: revision })
      notify({ text: t`The account is deleted.` })
      onDeleted()
    } catch (error) {
      notify({ kind: 'failure', text: problemText(error, i18n) })
    }
    // After a refusal too: what was shown is out of date.
    await accounts.refresh()
  }
}
