import type { Account } from '@grove/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import { api } from '../../../session/api.ts'
import { problemText } from '../../../api/problem-text.ts'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { peopleKey } from './account.api.ts'

/** Disables an account, or enables it again. */
export function SwitchAccount({ account }: { account: Account }) {
  const { i18n, t } = useLingui()
  const client = useQueryClient()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const { id, email, name } = account
  const who = email ?? name ?? id
  const isEnabled = account.disabledAt === null
  const isOwn = viewer.userId === id

  const change = useMutation({
    mutationFn: (enabled: boolean) =>
      api.auth.put('/api/admin/account/{id}', { params: { id }, body: { enabled } }),
    onSuccess: ({ disabledAt }) =>
      notify({ text: disabledAt === null ? t`${who} is enabled.` : t`${who} is disabled.` }),
    onError: (error) => notify({ kind: 'failure', text: problemText(error, i18n) }),
    onSettled: () => client.invalidateQueries({ queryKey: peopleKey }),
  })
  const isRefused = isOwn || change.isPending

  const ask = async () => {
    const agreed = await confirm(
      isEnabled
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
    if (agreed) change.mutate(!isEnabled)
  }

  return (
    <button
      type="button"
      className="button small"
      aria-label={isEnabled ? t`Disable ${who}…` : t`Enable ${who}…`}
      aria-disabled={isRefused}
      title={isOwn ? t`Your own account cannot be disabled by you.` : undefined}
      onClick={() => {
        if (!isRefused) void ask()
      }}
    >
      {isEnabled ? <Trans>Disable…</Trans> : <Trans>Enable…</Trans>}
    </button>
  )
}
