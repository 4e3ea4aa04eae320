import type { MapleAccount } from '@grove/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Pencil, Trash2 } from 'lucide-react'
import { problemText } from '../../../api/problem-text.ts'
import { api } from '../../../session/api.ts'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { PanelFailure, PanelSkeleton } from '../../../ui/panel/panel-body.tsx'
import { PanelFacts } from '../../../ui/panel/panel-facts.tsx'
import { SidePanel, type SidePanelProps } from '../../../ui/panel/side-panel.tsx'
import { CopyableId } from '../../../ui/text/copyable-id.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { accountQuery, refreshAccounts } from './account.api.ts'
import { EditAccount } from './account.form.tsx'
import { ValidityBadge } from './account.labels.tsx'

interface AccountPanelProps extends Pick<SidePanelProps, 'onPrevious' | 'onNext' | 'onClose'> {
  id: string
  isEditing: boolean
  onEdit: (isEditing: boolean) => void
}

/** One account: its details, or its form. */
export function AccountPanel({ id, isEditing, onEdit, ...steps }: AccountPanelProps) {
  const { t } = useLingui()
  const { data: account, error, refetch } = useQuery(accountQuery(id))
  const remove = useDeleteAccount(steps.onClose)
  return (
    <SidePanel
      {...steps}
      title={t`Account`}
      tabTitle={id}
      subtitle={<CopyableId value={id} />}
      mode={account && (isEditing ? 'form' : 'details')}
      actions={
        account &&
        !isEditing && (
          <>
            <button type="button" className="button" data-edit onClick={() => onEdit(true)}>
              <Pencil size={16} aria-hidden />
              <Trans>Edit</Trans>
            </button>
            <button type="button" className="button" onClick={() => void remove(account)}>
              <Trash2 size={16} aria-hidden />
              <Trans>Delete…</Trans>
            </button>
          </>
        )
      }
    >
      {account ? (
        isEditing ? (
          <EditAccount key={id} account={account} onEnd={() => onEdit(false)} />
        ) : (
          <PanelFacts
            facts={[
              [t`State`, <ValidityBadge key="state" expiresAt={account.expiresAt} />],
              [t`Roles`, account.roles.join(', ') || '–'],
              [t`Expires`, <DateText key="expires" value={account.expiresAt} />],
              [t`Created`, <DateText key="created" value={account.createdAt} />],
              [t`Changed`, <DateText key="changed" value={account.updatedAt} />],
            ]}
          />
        )
      ) : error ? (
        <PanelFailure
          error={error}
          missing={t`There is no account with this id.`}
          onRetry={() => void refetch()}
          onClose={steps.onClose}
        />
      ) : (
        <PanelSkeleton />
      )}
    </SidePanel>
  )
}

/** Deletes an account after a question. */
export function useDeleteAccount(onDeleted: () => void) {
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
    await refreshAccounts()
  }
}
