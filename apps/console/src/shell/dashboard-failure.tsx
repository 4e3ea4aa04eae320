import { Trans } from '@lingui/react/macro'
import { Link, type ErrorComponentProps } from '@tanstack/react-router'
import { Failure } from '../ui/failure/failure.tsx'
import { onDemand } from '../ui/kit/on-demand.tsx'
import { whenIdle } from '../ui/page/when-idle.ts'
import { DashboardRefused, SessionUnverified } from '../session/session.ts'
import { SignOutButton } from '../session/sign-out-button.tsx'
import { VisitorPage } from '../ui/page/visitor-page.tsx'

const UnverifiedSession = onDemand(
  () => import('../session/foreign/unverified-session.tsx').then((file) => file.UnverifiedSession),
  'foreign',
)
// The service may be gone once it is needed.
whenIdle(UnverifiedSession.prefetch)

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
