import { Trans, useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { auth } from '../../../session/auth.ts'
import { isSignedIn } from '../../../session/session.ts'
import { notify } from '../../../ui/toast/notify.ts'

/** Exchanges the token for a new one now. */
export function RefreshButton() {
  const { t } = useLingui()
  const refresh = useMutation({
    mutationFn: () => auth.refresh(),
    onSuccess: (isDone) => {
      if (isDone) notify({ text: t`You have a new token.` })
      // A session that has ended leaves the page automatically.
      else if (isSignedIn())
        notify({
          kind: 'failure',
          text: t`A new token could not be issued. Check your connection and try again.`,
        })
    },
  })
  return (
    <button
      type="button"
      className="button"
      aria-disabled={refresh.isPending}
      onClick={() => {
        if (!refresh.isPending) refresh.mutate()
      }}
    >
      <RefreshCw size={16} aria-hidden />
      <Trans>Refresh now</Trans>
    </button>
  )
}
