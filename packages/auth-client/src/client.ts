import { createAnonymousAuthorization } from './anonymous.ts'
import { createAuthService, rejectWithBody, tokenIn } from './auth-service.ts'
import { createAuthenticatedFetch } from './authenticated-fetch.ts'
import { listenToBrowser } from './browser-hints.ts'
import { ExternalLoginError } from './sign-in/external-login-error.ts'
import { loadOnce } from './load-once.ts'
import { type SessionEvent, sessionOf } from './session/machine.ts'
import { runRefresh } from './session/run-refresh.ts'
import { authorizationOf, createSession } from './session/session.ts'
import { createSessionRunner } from './session/session-runner.ts'
import { createSessionStore } from './session/session-store.ts'
import { openStorage } from './session/storage.ts'
import { decodeClaims } from './session/token.ts'
import { detailsOf } from './token-details.ts'
import type { AuthClient, AuthClientOptions } from './types.ts'

/** Creates the client of one realm at one authentication service. Never throws, sends nothing. */
export function createAuthClient(options: AuthClientOptions): AuthClient {
  const { authUrl, realm, apiVersion = '1', clock = () => Date.now() } = options
  // Looked up at each call, and called without a receiver, as browsers require.
  const send: typeof fetch = (input, init) => (options.fetch ?? globalThis.fetch)(input, init)

  const report = (error: unknown) => {
    try {
      ;(options.onError ?? console.warn)(error)
    } catch {
      // A logger that fails must not fail the session.
    }
  }

  const service = createAuthService({ authUrl, apiVersion, fetch: send })
  const storage = openStorage(options.storage ?? 'local')
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

  /** Dispatches the event, after adopting what another tab has stored. */
  const tell = (event: SessionEvent) => {
    runner.sync()
    runner.dispatch(event)
  }

  const stopListening = listenToBrowser(
    () => tell({ type: 'timePassed', at: clock() }),
    () => runner.dispatch({ type: 'connectionRestored' }),
  )

  const currentSession = () => sessionOf(runner.getState())

  /**
   * Dispatches the event, waits for a running refresh, and returns the value if the token has not
   * expired. A request made as one user never gets the token of the next.
   */
  async function authorize(event: SessionEvent): Promise<string | null> {
    tell(event)
    const asked = currentSession()
    while (runner.getState().status === 'refreshing') await runner.settled()
    const session = currentSession()
    return session && session.userId === asked?.userId && clock() < session.expiresAt
      ? authorizationOf(session)
      : null
  }

  const getAuthorization = () => authorize({ type: 'tokenNeeded', at: clock() })

  async function renew(refused: string): Promise<string | null> {
    const accessToken = refused.slice('Bearer '.length)
    const renewed = await authorize({ type: 'tokenRefused', accessToken, at: clock() })
    const isOther = decodeClaims(renewed ?? '')['sub'] !== decodeClaims(refused)['sub']
    return isOther || renewed === refused ? null : renewed
  }

  let signOuts = 0

  /** Sends what signs in, and stores the session of the answer. */
  async function begin(send: () => Promise<unknown>): Promise<boolean> {
    const signOutsBefore = signOuts
    const sentAt = clock()
    const token = tokenIn(await send().catch(rejectWithBody))
    // A sign-out during the call wins.
    if (token === null || signOuts !== signOutsBefore) return false
    store.clearAnonymous()
    const session = createSession(token, sentAt)
    runner.dispatch({ type: 'tokenReceived', session, at: clock() })
    return true
  }

  // Loaded apart: only the sign-in pages ask.
  const signInCalls = loadOnce(async () =>
    (await import('./sign-in/sign-in-calls.ts')).createSignInCalls({
      ...options,
      service,
      scope: `${authUrl} ${store.name}`,
      storage: openStorage('session'),
      clock,
      report,
      begin,
      rejectWithBody,
      decodeClaims,
      ExternalLoginError,
    }),
  )

  // Loaded apart, with the verification library: most pages never ask.
  const verifier = loadOnce(async () =>
    (await import('./session/verify-once.ts')).createSessionVerifier({
      ...options,
      fetch: send,
      clock,
      currentSession,
    }),
  )

  return {
    getState: runner.getState,
    subscribe: runner.subscribe,
    signIn: (body) => begin(() => service.post('/api/token/password', body)),
    signUp: (body) => begin(() => service.post('/api/signup', body)),
    async signOut() {
      signOuts += 1
      tell({ type: 'signOutRequested' })
    },
    async refresh() {
      runner.sync()
      const before = currentSession()
      return (await authorize({ type: 'refreshRequested' })) !== null && currentSession() !== before
    },
    getAuthorization,
    fetch: createAuthenticatedFetch({
      fetch: send,
      apiVersion,
      getAuthorization,
      renew,
    }),
    async tokenDetails() {
      runner.sync()
      const verified =
        currentSession() &&
        options.verification &&
        (await verifier()
          .then((verify) => verify())
          .catch(report))
      return detailsOf(verified || null)
    },
    emailExists: async (email) => (await signInCalls()).emailExists(email),
    sendEmailValidation: async (email) => (await signInCalls()).sendEmailValidation(email),
    stageAuth: async () => (await signInCalls()).stageAuth(),
    info: async (broker) => (await signInCalls()).info(broker),
    globalInfo: async (broker) => (await signInCalls()).globalInfo(broker),
    startExternalLogin: async (start) => (await signInCalls()).startExternalLogin(start),
    async completeExternalLogin(address, complete) {
      const calls = await signInCalls().catch(report)
      return calls ? calls.completeExternalLogin(address, complete) : false
    },
    getAnonymousAuthorization: createAnonymousAuthorization({ service, store, clock, report }),
    close() {
      stopListening()
      runner.close()
    },
  }
}
