import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { SignOutButton } from '../sign-out-button.tsx'

/** The message for someone without a role for the dashboard. */
export const NoDashboardRole = () => (
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
