import { Trans } from '@lingui/react/macro'
import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { useEffect } from 'react'
import { auth } from '../session/auth.ts'
import { Failure } from '../ui/failure/failure.tsx'
import { DashboardRefused, SessionUnverified } from '../session/session.ts'
import { SignOutButton } from '../session/sign-out-button.tsx'
import { VisitorPage } from '../ui/page/visitor-page.tsx'

/** Why the dashboard stays closed, and a way out of each case. */
export function DashboardFailure({ error }: Pick<ErrorComponentProps, 'error'>) {
  return (
    <VisitorPage>
      {error instanceof DashboardRefused ? (
        <NoDashboardRole />
      ) : error instanceof SessionUnverified ? (
        <UnverifiedSession />
      ) : (
        <Failure error={error} />
      )}
    </VisitorPage>
  )
}

const NoDashboardRole = () => (
  <div className="notice" role="alert">
    <h1>
      <Trans>Your account has no dashboard access</Trans>
    </h1>
    <p>
      <Trans>
        You are signed in, but no role of your account opens the dashboard. Ask an administrator for
        one, or sign in with another account.
      </Trans>
    </p>
    <div className="actions">
      <SignOutButton className="button primary" />
      <Link to="/" className="button">
        <Trans>Go to the start page</Trans>
      </Link>
    </div>
  </div>
)

const maxPause = 60_000
let pause = 1000
let failedAt = 0

/** Milliseconds until the next look; a failure soon after the last one waits twice as long. */
function nextPause() {
  const isRepeated = Date.now() - failedAt < 2 * pause + 5000
  pause = isRepeated ? Math.min(2 * pause, maxPause) : 1000
  failedAt = Date.now()
  return pause
}

function UnverifiedSession() {
  const router = useRouter()
  useEffect(() => {
    const timer = setTimeout(() => void router.invalidate(), nextPause())
    return () => clearTimeout(timer)
  })
  const retry = async () => {
    // A person who asks does not wait for the pause after a failed refresh.
    if (auth.getState().status === 'expired') await auth.refresh()
    await router.invalidate()
  }
  return (
    <div className="notice" role="alert">
      <h1>
        <Trans>Your session could not be checked</Trans>
      </h1>
      <p>
        <Trans>
          The authentication service is not responding. This page will retry automatically; you can
          also log out and sign in again.
        </Trans>
      </p>
      <div className="actions">
        <button type="button" className="button primary" onClick={() => void retry()}>
          <Trans>Try again</Trans>
        </button>
        <SignOutButton className="button" />
      </div>
    </div>
  )
}
