import { Trans } from '@lingui/react/macro'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { auth, lastAuthError } from '../auth.ts'
import { SignOutButton } from '../sign-out-button.tsx'
import { troubleOf, type AuthTrouble } from './auth-trouble.ts'
import { ForeignNote } from './foreign-note.tsx'
import { troubleDetails } from './rejected-token.tsx'

const maxPause = 60_000
let pause = 1000
let failedAt = 0

/** Milliseconds until the next check, doubled for a failure soon after the last one. */
function nextPause() {
  const isRepeated = Date.now() - failedAt < 2 * pause + 5000
  pause = isRepeated ? Math.min(2 * pause, maxPause) : 1000
  failedAt = Date.now()
  return pause
}

/** Replaces the dashboard while the session cannot be checked; checks again automatically. */
export function UnverifiedSession() {
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
  const trouble = troubleOf(lastAuthError())
  return (
    <div className="notice" role="alert">
      <h1>
        <Trans>Your session could not be checked</Trans>
      </h1>
      <p>
        <TroubleText trouble={trouble} />{' '}
        <Trans>This page will retry automatically; you can also log out and sign in again.</Trans>
      </p>
      <div className="actions">
        <button type="button" className="button primary" onClick={() => void retry()}>
          <Trans>Try again</Trans>
        </button>
        <SignOutButton className="button" />
        {trouble.kind === 'misconfigured' && (
          <ForeignNote details={troubleDetails(trouble.reason)} hasWayBack={false} />
        )}
      </div>
    </div>
  )
}

function TroubleText({ trouble }: { trouble: AuthTrouble }) {
  switch (trouble.kind) {
    case 'silent':
      return <Trans>The sign-in service is not responding.</Trans>
    case 'failing':
      return <Trans>The sign-in service is not working: it answered {trouble.status}.</Trans>
    case 'newKey':
      return <Trans>The sign-in service has a new key that it does not show yet.</Trans>
    case 'misconfigured':
      return (
        <Trans>
          The console cannot use what the sign-in service answers ({trouble.reason}). The operator
          of the service needs to know.
        </Trans>
      )
  }
}
