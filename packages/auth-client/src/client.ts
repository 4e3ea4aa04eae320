import { createAnonymousAuthorization } from './anonymous.ts'
import { bodyOrError, createAuthService, tokenIn } from './auth-service.ts'
import { createAuthenticatedFetch } from './authenticated-fetch.ts'
import { listenToBrowser } from './browser-hints.ts'
import { runRefresh } from './session/run-refresh.ts'
import { createSession, type Session } from './session/session.ts'
import { createSessionRunner } from './session/session-runner.ts'
import { createSessionStore } from './session/session-store.ts'
import { browserStorage, withMemoryFallback } from './session/storage.ts'
import { isRecord } from './session/token.ts'
import { createTokenDetails } from './token-details.ts'
import type { AuthClient, AuthClientOptions } from './types.ts'

/** Makes the client of one realm at one authentication service. Never throws, sends nothing. */
export function createAuthClient(options: AuthClientOptions): AuthClient {
  const { authUrl, realm, apiVersion = '1', clock = () => Date.now(), verification } = options
  // Looked up at each call, and called without a receiver, which browsers insist on.
  const send: typeof fetch = (input, init) => (options.fetch ?? globalThis.fetch)(input, init)

  const report = (error: unknown) => {
    try {
      const { onError = (reason) => console.warn(reason) } = options
      onError(error)
    } catch {
      // A logger that fails must not fail the session.
    }
  }

  const service = createAuthService({ authUrl, apiVersion, fetch: send })
  const storage = withMemoryFallback(() => options.storage ?? browserStorage())
  const store = createSessionStore(storage, { stage: options.stage, realm })

  const runner = createSessionRunner({
    store,
    clock,
    report,
    runRefresh: (epoch, session, signal) =>
      runRefresh(
        { service, store, realm, clock, report, dispatch: (event) => runner.dispatch(event) },
        epoch,
        session,
        signal,
      ),
    tellSignOut(session) {
      const { refreshToken } = session.token
      const json = { refreshToken, provider: session.provider ?? realm }
      const headers = { authorization: authorizationOf(session) }
      // The page may be leaving: keepalive lets the call outlive it.
      service.post('/api/logout', json, { headers, keepalive: true }).catch(report)
    },
  })

  const stopListening = listenToBrowser(
    () => {
      runner.sync()
      runner.dispatch({ type: 'timePassed', at: clock() })
    },
    () => runner.dispatch({ type: 'connectionRestored' }),
  )

  const currentSession = () => {
    const state = runner.getState()
    return state.status === 'signedOut' ? null : state.session
  }

  /** The value once no refresh runs and if the token has not ended. */
  async function usableAuthorization(): Promise<string | null> {
    while (runner.getState().status === 'refreshing') await runner.settled()
    const session = currentSession()
    return session && clock() < session.expiresAt ? authorizationOf(session) : null
  }

  async function getAuthorization(): Promise<string | null> {
    runner.sync()
    runner.dispatch({ type: 'tokenNeeded', at: clock() })
    return usableAuthorization()
  }

  async function renewAuthorization(refused: string): Promise<string | null> {
    const accessToken = refused.slice('Bearer '.length)
    runner.sync()
    runner.dispatch({ type: 'tokenRefused', accessToken, at: clock() })
    const renewed = await usableAuthorization()
    return renewed === refused ? null : renewed
  }

  let signOuts = 0

  async function begin(path: string, body: Record<string, unknown>): Promise<boolean> {
    const signOutsBefore = signOuts
    const sentAt = clock()
    const answer = await service.post(path, body).catch((error: unknown) => {
      throw bodyOrError(error)
    })
    const token = tokenIn(answer)
    // A sign-out that came meanwhile is the user's last word.
    if (token === null || signOuts !== signOutsBefore) return false
    const session = createSession(token, sentAt)
    runner.dispatch({ type: 'tokenReceived', session, at: clock() })
    return true
  }

  const describe = createTokenDetails({
    // Loaded apart, with the verification library: most pages never ask.
    loadVerifier: verification
      ? async () =>
          (await import('./session/verify-token.ts')).createVerifier(verification, {
            authUrl,
            fetch: send,
          })
      : null,
    clock,
    report,
  })

  return {
    getState: runner.getState,
    subscribe: runner.subscribe,
    signIn: (body) => begin('/api/token/password', body),
    signUp: (body) => begin('/api/signup', body),
    async signOut() {
      signOuts += 1
      runner.sync()
      runner.dispatch({ type: 'signOutRequested' })
    },
    async refresh() {
      runner.sync()
      const before = currentSession()
      runner.dispatch({ type: 'refreshRequested' })
      const after = (await usableAuthorization()) === null ? null : currentSession()
      return after !== null && after !== before
    },
    getAuthorization,
    fetch: createAuthenticatedFetch({
      fetch: send,
      apiVersion,
      getAuthorization,
      renewAuthorization,
    }),
    async tokenDetails() {
      runner.sync()
      return describe(currentSession())
    },
    async emailExists(email) {
      const query = new URLSearchParams({ email, provider: realm })
      try {
        const body = await service.get(`/api/user/exists/email?${query}`)
        return isRecord(body) ? body['exists'] === true : body === true
      } catch (error) {
        throw bodyOrError(error)
      }
    },
    getAnonymousAuthorization: createAnonymousAuthorization({ service, store, clock, report }),
    close() {
      stopListening()
      runner.close()
    },
  }
}

function authorizationOf({ token }: Session): string {
  return `Bearer ${token.accessToken}`
}
