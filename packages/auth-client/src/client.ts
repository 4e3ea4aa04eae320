import type { AuthServiceOptions, TokenService } from './auth-service.ts'
import { createAuthenticatedFetch } from './authenticated-fetch.ts'
import { listenToBrowser } from './browser-hints.ts'
import { abortable } from './http/abortable.ts'
import { request } from './http/request.ts'
import { loadOnce } from './load-once.ts'
import { type NewEvent, sessionOf } from './session/machine.ts'
import { authorizationOf, type Session } from './session/session.ts'
import { createSessionRunner } from './session/session-runner.ts'
import { createSessionStore } from './session/session-store.ts'
import { createSignOutCalls } from './session/sign-out-calls.ts'
import { openStorage } from './session/storage.ts'
import { decodeClaims } from './session/token.ts'
import type { SessionVerifier, VerifierContext } from './session/verify-sessions.ts'
import type { SignInCalls, SignInContext } from './sign-in/sign-in-calls.ts'
import type { AuthClient, AuthClientOptions } from './types.ts'

/** A client of a service, with the calls of its sign-in pages and the verification of its tokens. */
export function createClient<Service extends TokenService>(
  options: AuthClientOptions,
  loadSignInCalls: () => Promise<(context: SignInContext<Service>) => SignInCalls>,
  loadVerifier: () => Promise<(context: VerifierContext) => SessionVerifier>,
  createService: (options: AuthServiceOptions) => Service,
): AuthClient {
  const clock = options.clock ?? (() => Date.now())
  // Looked up at each call, and called without a receiver, as browsers require.
  const send: typeof fetch = (input, init) => (options.fetch ?? globalThis.fetch)(input, init)

  const report = (error: unknown) => {
    try {
      ;(options.onError ?? console.warn)(error)
    } catch {
      // A logger that fails must not fail the session.
    }
  }

  const service = createService({ ...options, clock, fetch: send })
  const storage = openStorage(options.storage ?? 'local', report)
  const store = createSessionStore(storage, options)
  const context = { ...options, service, store, clock, report }
  const signOutCalls = createSignOutCalls(context)

  const runner = createSessionRunner({ ...context, tellSignOut: signOutCalls.send })

  /** Dispatches the event, after adopting what another tab stored. */
  const tell = (event: NewEvent) => {
    runner.sync()
    runner.dispatch(event)
  }

  const stopListening = listenToBrowser(({ type }) => {
    tell({ type: type === 'online' ? type : 'timePassed' })
    signOutCalls.sendAgain()
  })

  const currentSession = () => sessionOf(runner.getState())

  /**
   * Dispatches the event, waits for a running refresh, and returns the session if it has not
   * expired. A request made as one user never gets the token of the next.
   */
  async function authorize(event: NewEvent, signal?: AbortSignal | null): Promise<Session | null> {
    tell(event)
    const asked = currentSession()
    while (runner.getState().status === 'refreshing') await abortable(runner.settled(), signal)
    const session = currentSession()
    return session && session.userId === asked?.userId && clock() < session.expiresAt
      ? session
      : null
  }

  const getSession = (signal?: AbortSignal | null) => authorize({ type: 'tokenNeeded' }, signal)

  async function renew(refused: Session, signal?: AbortSignal | null): Promise<Session | null> {
    const { accessToken } = refused.token
    const renewed = await authorize({ type: 'tokenRefused', accessToken }, signal)
    const isOther = renewed?.userId !== refused.userId
    return isOther || renewed.token.accessToken === accessToken ? null : renewed
  }

  let signOuts = 0

  // Loaded lazily: only sign-in pages need it.
  const signInCalls = loadOnce(async () =>
    (await loadSignInCalls())({
      ...context,
      scope: `${options.authUrl} ${store.name}`,
      storage: openStorage('session'),
      countSignOuts: () => signOuts,
      tell,
      ...runner,
      watch: () => void verifier().then((one) => one.watch(), report),
      abortable,
      authorizationOf,
      decodeClaims,
    }),
  )

  /** A lazily loaded call, with its result on failure if it must not reject. */
  function later<N extends keyof SignInCalls>(
    name: N,
    failed?: Awaited<ReturnType<SignInCalls[N]>>,
  ) {
    return async (...args: Parameters<SignInCalls[N]>) => {
      const calls = signInCalls()
      const loaded = await (failed === undefined ? calls : calls.catch(report))
      // The compiler cannot see that name and arguments belong together.
      return loaded ? (loaded[name] as (...args: unknown[]) => never)(...args) : (failed as never)
    }
  }

  // Loaded lazily, with the verification library: most pages never need it.
  const verifier = loadOnce(async () =>
    (await loadVerifier())({
      ...context,
      ...runner,
      fetch: send,
      currentSession,
    }),
  )

  const authenticatedFetch = createAuthenticatedFetch(send, options.apiVersion, getSession, renew)

  return {
    getState: runner.getState,
    subscribe: runner.subscribe,
    dashboardRoles: options.dashboardRoles,
    signIn: later('signIn'),
    signUp: later('signUp'),
    async signOut() {
      signOuts += 1
      tell({ type: 'signOutRequested' })
    },
    async refresh({ signal } = {}) {
      runner.sync()
      const before = currentSession()
      const session = await authorize({ type: 'refreshRequested' }, signal)
      return !!session && session !== before
    },
    async getAuthorization({ signal } = {}) {
      const session = await getSession(signal)
      return session && authorizationOf(session)
    },
    fetch: authenticatedFetch,
    request: (url, init) => request(url, { ...init, fetch: authenticatedFetch }),
    tokenDetails({ signal } = {}) {
      runner.sync()
      return abortable(
        verifier().then((one) => one.details()),
        signal,
      )
    },
    emailExists: later('emailExists'),
    sendEmailValidation: later('sendEmailValidation'),
    stageAuth: later('stageAuth'),
    info: later('info'),
    globalInfo: later('globalInfo'),
    startExternalLogin: later('startExternalLogin'),
    completeExternalLogin: later('completeExternalLogin', false),
    getAnonymousAuthorization: later('getAnonymousAuthorization', ''),
    close() {
      stopListening()
      runner.close()
    },
  }
}
