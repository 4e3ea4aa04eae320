import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { api } from '../../session/api.ts'
import { auth } from '../../session/auth.ts'
import { homePage } from '../../session/session.ts'
import { notify } from '../../ui/toast/notify.ts'

/** For people with rights in Maple but no role that opens the dashboard: what is missing. */
export function MapleNotice() {
  const { t } = useLingui()
  const router = useRouter()
  // Without an answer there is nothing to say.
  const { data } = useQuery({ ...api.maple.query('/api/maple/account/own'), retry: false })
  if (!data || data.rights.length === 0) return null
  const look = async () => {
    // A new role takes effect with the next token.
    await auth.refresh()
    if (homePage() === '/') notify({ text: t`Your account still has no developer role.` })
    else await router.navigate({ to: homePage() })
  }
  return (
    <div className="notice">
      <p>
        <Trans>
          You have rights in Maple, but you need the developer role to use them: it opens the
          dashboard. Ask an administrator for it, then check again.
        </Trans>
      </p>
      <button type="button" className="button" onClick={() => void look()}>
        <Trans>Check again</Trans>
      </button>
    </div>
  )
}
