'use client'

import {
  RequireDashboardAccess,
  useAuthClient,
  useSession,
  useTokenDetails,
} from '@grove/auth-client/react'

const credentials = { email: 'ann@grove.test', password: 'Grove2026!', provider: 'grove' }

export function Visitor() {
  const { signIn, signOut } = useAuthClient()
  const { status } = useSession()
  const { is_valid } = useTokenDetails()
  return (
    <>
      <p id="status">{status}</p>
      <p id="valid">{String(is_valid)}</p>
      <p id="access">
        <RequireDashboardAccess
          pending="pending"
          signedOut="signed out"
          refused="refused"
          unverified="unverified"
        >
          private
        </RequireDashboardAccess>
      </p>
      <button onClick={() => void signIn(credentials)}>Sign in</button>
      <button onClick={() => void signOut()}>Sign out</button>
    </>
  )
}
