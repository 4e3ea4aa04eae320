import type { Account } from '@grove/contract/auth/account-admin'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../../session/api.ts'
import { useConfirmed } from '../../../ui/dialog/use-confirmed.ts'
import { accounts } from './account.api.ts'

export const nameOf = ({ id, email, name }: Account) => email ?? name ?? id

/** Disables or enables an account, after a confirmation. */
export function useSwitchAccount() {
  const { t } = useLingui()
  const confirmed = useConfirmed()

  const isEnabled = ({ disabledAt }: Account) => disabledAt === null
  return {
    label: (account: Account) => (isEnabled(account) ? t`Disable…` : t`Enable…`),
    /** Why it is unavailable; undefined when it is available. */
    refusal: (account: Account) =>
      isEnabled(account) && account.rights.disable
        ? t`You cannot disable your own account.`
        : undefined,
    run: (account: Account) => {
      const who = nameOf(account)
      const enabled = !isEnabled(account)
      return confirmed({
        question: enabled
          ? {
              title: t`Enable ${who}?`,
              text: t`The person can sign in again.`,
              action: t`Enable`,
            }
          : {
              title: t`Disable ${who}?`,
              text: t`Every session ends within seconds, and no sign-in works until you enable the account again. Nothing is deleted.`,
              action: t({ message: 'Disable', context: 'an account' }),
              isDanger: true,
            },
        change: () =>
          api.auth.put('/api/admin/account/{id}', {
            params: { id: account.id },
            body: { enabled },
          }),
        done: () => (enabled ? t`${who} is enabled.` : t`${who} is disabled.`),
        refresh: accounts.refresh,
      })
    },
  }
}
