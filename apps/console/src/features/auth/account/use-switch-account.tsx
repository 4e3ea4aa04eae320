import type { Account } from '@grove/contract'
import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import { problemText } from '../../../api/problem-text.ts'
import { api } from '../../../session/api.ts'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { accounts } from './account.api.ts'

export const nameOf = ({ id, email, name }: Account) => email ?? name ?? id

/** Disables an account, or enables it again, after a question. */
export function useSwitchAccount() {
  const { i18n, t } = useLingui()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })

  const change = useMutation({
    mutationFn: ({ id, enabled }: { id: string; enabled: boolean }) =>
      api.auth.put('/api/admin/account/{id}', { params: { id }, body: { enabled } }),
    onSuccess: (account) => {
      const who = nameOf(account)
      notify({ text: account.disabledAt === null ? t`${who} is enabled.` : t`${who} is disabled.` })
    },
    onError: (error) => notify({ kind: 'failure', text: problemText(error, i18n) }),
    onSettled: () => accounts.refresh(),
  })

  const isEnabled = ({ disabledAt }: Account) => disabledAt === null
  return {
    label: (account: Account) => (isEnabled(account) ? t`Disable…` : t`Enable…`),
    /** Why it cannot be done; undefined when it can. */
    refusal: ({ id }: Account) =>
      viewer.userId === id ? t`You cannot disable your own account.` : undefined,
    run: async (account: Account) => {
      const who = nameOf(account)
      const agreed = await confirm(
        isEnabled(account)
          ? {
              title: t`Disable ${who}?`,
              text: t`Every session ends within ten minutes, and no sign-in works until you enable the account again. Nothing is deleted.`,
              action: t({ message: 'Disable', context: 'an account' }),
              isDanger: true,
            }
          : {
              title: t`Enable ${who}?`,
              text: t`The person can sign in again.`,
              action: t`Enable`,
            },
      )
      if (agreed) change.mutate({ id: account.id, enabled: !isEnabled(account) })
    },
  }
}
