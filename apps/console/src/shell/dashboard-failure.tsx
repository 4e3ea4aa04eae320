import { Trans } from '@lingui/react/macro'
import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router'
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
      <Trans>Your account has no dashboard</Trans>
    </h1>
    <p>
      <Trans>
        You are signed in as a customer. The dashboard is for developers and administrators. Ask an
        administrator for the developer role, or sign in with another account.
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

function UnverifiedSession() {
  const router = useRouter()
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
          The authentication service does not answer, or it did not issue this session. Try again,
          or log out and sign in anew.
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
