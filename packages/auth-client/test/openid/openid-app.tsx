import { createRoot } from 'react-dom/client'
import { AuthProvider, useSession, useTokenDetails } from '../../src/react/index.ts'
import { oidc, type OidcOptions, type RedirectResult } from '../../src/oidc/index.ts'

// The page that the browser tests of OpenID open.

declare const settings: OidcOptions

const clock = () => Date.now() + (globalThis.clockAhead ?? 0)
const errors: string[] = []
const client = oidc({ ...settings, clock, onError: (error) => errors.push(String(error)) })

function Page({ result }: { result: RedirectResult | null }) {
  const state = useSession()
  const details = useTokenDetails()
  const user = state.status === 'signedOut' ? 'nobody' : state.session.userId
  const error = result?.error as { providerDescription?: string; message?: string } | undefined
  return (
    <main>
      <p id="status">{`${state.status} ${user}`}</p>
      <p id="details">{details.isPending ? 'pending' : `${details.is_valid} ${details.user_id}`}</p>
      <p id="error">{error?.providerDescription ?? error?.message ?? 'none'}</p>
      <button id="in" onClick={() => void client.signInWithRedirect()}>
        Sign in
      </button>
      <button id="out" onClick={() => void client.signOutWithRedirect()}>
        Sign out
      </button>
    </main>
  )
}

const app = { client, errors, result: null as RedirectResult | null, persisted: false }
export type OpenidApp = typeof app
Object.assign(window, { app })
addEventListener('pageshow', ({ persisted }) => (app.persisted ||= persisted))

async function start() {
  app.result = await client.completeRedirect()
  const root = document.getElementById('root')
  if (!root) return
  createRoot(root).render(
    <AuthProvider client={client}>
      <Page result={app.result} />
    </AuthProvider>,
  )
}
void start()
