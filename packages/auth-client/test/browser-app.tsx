import axios, { type AxiosError } from 'axios'
import { createRoot } from 'react-dom/client'
import { createAuthClient, type AuthError, request } from '../src/index.ts'
import {
  AuthProvider,
  RequireDashboardAccess,
  useAuthClient,
  useSession,
  useTokenDetails,
} from '../src/react/index.ts'

// The page that browser.test.ts opens: the built package in a browser.

const client = createAuthClient({
  authUrl: '',
  realm: 'grove',
  stage: 'browser',
  verification: { jwksUrl: '/.well-known/jwks.json' },
})

function Page() {
  const state = useSession()
  const details = useTokenDetails()
  const { signOut } = useAuthClient()
  const user = state.status === 'signedOut' ? 'nobody' : state.session.userId
  return (
    <main>
      <p id="status">{`${state.status} ${user}`}</p>
      <p id="details">{details.isPending ? 'pending' : `${details.is_valid} ${details.user_id}`}</p>
      <button onClick={() => void signOut()}>Sign out</button>
      <p id="access">
        <RequireDashboardAccess
          pending="pending"
          signedOut="signed out"
          refused="refused"
          unverified="unverified"
        >
          <input aria-label="Private" />
        </RequireDashboardAccess>
      </p>
    </main>
  )
}

/** Everything that the guarded area has shown, in order. */
const shown: string[] = []
new MutationObserver(() => {
  const place = document.getElementById('access')
  if (place === null) return
  const now = place.querySelector('input') ? 'children' : (place.textContent ?? '')
  if (shown.at(-1) !== now) shown.push(now)
}).observe(document, { subtree: true, childList: true, characterData: true })

const outcome = async (work: Promise<unknown>) => {
  try {
    await work
    return { message: 'success' }
  } catch (error) {
    const { message } = error as AuthError
    const status = (error as AuthError).status ?? (error as AxiosError).response?.status
    return { message, status }
  }
}

const app = {
  client,
  /**
   * The same fault through `request` and through axios with its XMLHttpRequest adapter. For axios the
   * browser's stop is an abort; `fetch` cannot distinguish that from a lost connection, so `request`
   * gets the caller's signal.
   */
  async compare(url: string, timeout: number, giveUpAfter: number) {
    const signal = giveUpAfter > 0 ? AbortSignal.timeout(giveUpAfter) : undefined
    const ours = await outcome(request(url, { timeout, signal }))
    if (giveUpAfter > 0) setTimeout(() => window.stop(), giveUpAfter)
    return { ours, axios: await outcome(axios.get(url, { timeout, adapter: 'xhr' })) }
  },
  request,
  shown,
}

export type BrowserApp = typeof app

Object.assign(window, { app })
const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <AuthProvider client={client}>
      <Page />
    </AuthProvider>,
  )
}
