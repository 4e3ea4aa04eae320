import { Trans } from '@lingui/react/macro'
import { createFileRoute, Link } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { auth } from '../../app/auth.ts'
import { isSignedIn } from '../../app/session.ts'
import { SignOutButton } from '../../app/sign-out-button.tsx'
import { VisitorPage } from '../../app/visitor-page.tsx'

export const Route = createFileRoute('/_app/')({
  // In the entry: signing out must not wait for a chunk.
  codeSplitGroupings: [],
  component: StartPage,
})

function StartPage() {
  const signedIn = useSyncExternalStore(auth.subscribe, isSignedIn)
  return (
    <VisitorPage>
      <div className="start">
        <h1>
          <Trans>One console for mini-apps and devices</Trans>
        </h1>
        <p>
          <Trans>
            Publish mini-apps with Cedar, and look after devices and their secure elements with
            Maple.
          </Trans>
        </p>
        <div className="actions">
          {signedIn ? (
            <>
              <Link to="/dashboard" className="button primary">
                <Trans>Go to the dashboard</Trans>
              </Link>
              <SignOutButton className="button" />
            </>
          ) : (
            <>
              <Link to="/login" className="button primary">
                <Trans>Sign in</Trans>
              </Link>
              <Link to="/signup" className="button">
                <Trans>Create an account</Trans>
              </Link>
            </>
          )}
        </div>
      </div>
    </VisitorPage>
  )
}
