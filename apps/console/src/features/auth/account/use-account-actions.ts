import type { Account } from '@grove/contract/auth/account-admin'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../../session/api.ts'
import { useConfirmed } from '../../../ui/dialog/use-confirmed.ts'
import { accounts } from './account.api.ts'
import { nameOf } from './use-switch-account.tsx'

/** An administrator's actions on an account besides disabling it, and why one is unavailable. */
export function useAccountActions() {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const resetReasons = {
    account_not_enabled: t`The account is disabled. Enable it first.`,
    email_missing: t`The account has no email address.`,
    mail_unavailable: t`This stage cannot send mail.`,
  }
  return {
    roleRefusal: ({ rights }: Account) =>
      rights.changeRole ? t`You cannot change your own role.` : undefined,
    resetRefusal: ({ rights }: Account) =>
      rights.resetPassword ? resetReasons[rights.resetPassword] : undefined,
    sendReset: (account: Account) => {
      const who = nameOf(account)
      return confirmed({
        question: {
          title: t`Send ${who} a link to a new password?`,
          text: t`The current password works until a new one is chosen. Then every session ends.`,
          action: t`Send link`,
        },
        change: () =>
          api.auth.post('/api/admin/account/{id}/resetPassword', { params: { id: account.id } }),
        done: () => t`The link is sent to ${who}.`,
        refresh: accounts.refresh,
      })
    },
  }
}
