import { Trans, useLingui } from '@lingui/react/macro'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { completeSignIn } from './complete-sign-in.ts'
import { isSignedIn } from '../../session/session.ts'
import { keepEmail } from '../../session/typed-email.ts'
import { VisitorPage } from '../../ui/page/visitor-page.tsx'
import { CallbackFailure, type FailedLogin } from './callback-failure.tsx'
import { completeLogin } from './complete-external-login.ts'

/** Completes an external login. The next page replaces this one, so that Back does not return to it. */
export function CallbackPage({ address }: { address: string }) {
  const { t } = useLingui()
  const router = useRouter()
  const [failure, setFailure] = useState<FailedLogin>()

  useEffect(() => {
    let isCurrent = true
    const follow = async () => {
      const outcome = await completeLogin(address)
      if (!isCurrent) return
      const { returnTo } = outcome
      const toLogin = (notice?: 'cancelled') =>
        router.navigate({ to: '/login', search: { from: returnTo, notice }, replace: true })
      if (outcome.kind === 'refused' || outcome.kind === 'failed') return setFailure(outcome)
      if (outcome.kind === 'cancelled') return toLogin('cancelled')
      if (outcome.kind === 'signedIn' || isSignedIn())
        return completeSignIn(router, returnTo).catch((problem: unknown) =>
          setFailure({ kind: 'failed', returnTo, problem }),
        )
      keepEmail(outcome.email)
      await toLogin()
    }
    void follow()
    return () => {
      isCurrent = false
    }
  }, [address, router])

  return (
    <VisitorPage>
      {failure ? (
        <CallbackFailure failure={failure} />
      ) : (
        <output className="card form" aria-label={t`Signing in…`}>
          <span>
            <Trans>Signing in…</Trans>
          </span>
          <span className="skeleton" />
        </output>
      )}
    </VisitorPage>
  )
}
