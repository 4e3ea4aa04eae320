import { createAuthClient } from '@grove/auth-client'
import {
  AuthProvider,
  RequireDashboardAccess,
  useAuthClient,
  useSession,
} from '@grove/auth-client/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

const client = createAuthClient({
  authUrl: '',
  realm: 'grove',
  stage: 'fresh',
  verification: { jwksUrl: '/.well-known/jwks.json' },
})

const credentials = { email: 'a@grove.test', password: 'Grove2026!', provider: 'grove' }

function Page() {
  const { signIn, signOut, startExternalLogin } = useAuthClient()
  const { status } = useSession()
  const leave = async () => {
    document.title = await startExternalLogin()
  }
  return (
    <main>
      <p id="status">{status}</p>
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
      <button onClick={() => void leave()}>External login</button>
    </main>
  )
}

const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <AuthProvider client={client}>
        <Page />
      </AuthProvider>
    </StrictMode>,
  )
}
