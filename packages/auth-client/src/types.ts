import type { HttpResponse, RequestOptions } from './http/request.ts'
import type { SessionState } from './session/machine.ts'
import type { IsRejected } from './session/refresh-failure.ts'
import type { RolesClaim } from './session/roles.ts'
import type { StorageChoice } from './session/storage.ts'

/** How access tokens are verified: with one key or with those of a JWKS, by the browser’s WebCrypto. */
export interface VerificationOptions {
  /** A public key as PEM (SPKI) or JWK. */
  publicKey?: string | Readonly<Record<string, unknown>>
  /** Where the service publishes its keys, relative to `authUrl`. */
  jwksUrl?: string
  /** The `iss` that a token must have; absent: any. `{tenantid}` stands for its claim `tid`. */
  issuer?: string
  /** The `aud` that a token must have or contain; absent: any. */
  audience?: string
  /** Narrows the allowed algorithms: ES256, ES384, EdDSA and RS256. */
  algorithms?: string[]
  /** The only `typ` to accept; default: `JWT`, `at+jwt` (also with `application/`) or none. */
  typ?: string
}

/** A call of the service, by its path in PROTOCOL.md. */
export type Path =
  | '/api/token/password'
  | '/api/signup'
  | '/api/token/refresh'
  | '/api/logout'
  | '/api/token/anonymous'
  | '/api/stage/auth'
  | '/api/info'
  | '/api/info/global'
  | '/api/user/exists/email'
  | '/api/send/validateEmail'

/** The signal and time limit of one call. */
export interface CallOptions {
  /** Aborts the call, which then rejects. */
  signal?: AbortSignal | undefined
  /** Milliseconds; 0 for no limit. Default: the client's `timeout`. */
  timeout?: number | undefined
}

/** The signal of one wait. */
export interface WaitOptions {
  /** Aborts the wait, which rejects with the signal's reason. Other callers keep waiting. */
  signal?: AbortSignal | null | undefined
}

/** The options of `getAnonymousAuthorization`. */
export interface AnonymousOptions extends WaitOptions {
  /** The value that an API refused with 401: a new token is fetched instead. */
  refused?: string
}

/** The options of `createAuthClient`; only `authUrl` and `realm` are required. */
export interface AuthClientOptions {
  /** The authentication service's base URL; '' is the page's own origin. */
  authUrl: string
  /** The auth provider, sent as `provider`. */
  realm: string
  /** Part of the storage key, which separates the sessions of two stages; default 'default'. */
  stage?: string
  /** The service's `api-version`; default '1', '' sends none. */
  apiVersion?: string
  /** Calls that this service has at another path, relative to `authUrl`. */
  paths?: Partial<Record<Path, string>>
  /**
   * Time limit of a call to the service, including a refresh, in milliseconds; default: 0, no limit.
   */
  timeout?: number
  /** What a refused call rejects with: the server's 'body' (the default) or an `AuthError`. */
  rejectWith?: 'body' | 'error'
  /**
   * Whether this response to a refresh ends the session. By default every 4xx does except 408, 425
   * and 429.
   */
  isRejected?: IsRejected
  /** The claim that has the roles, or the path to it; default: `role` and `roles`. */
  rolesClaim?: RolesClaim
  /** The roles that open the dashboard; default: DEVELOPER and ADMIN. */
  dashboardRoles?: readonly string[]
  /** The roles of administrators; default: ADMIN. */
  adminRoles?: readonly string[]
  /**
   * `localStorage` ('local', the default), `sessionStorage` ('session'), 'memory' or a custom one.
   * Falls back to memory if it is missing, denied or full.
   */
  storage?: StorageChoice
  /** Sends every request; default: the global `fetch`, looked up at each call. */
  fetch?: typeof fetch
  /** Milliseconds since 1970; default `Date.now`. */
  clock?: () => number
  /** Without it no token is ever valid: see `tokenDetails`. */
  verification?: VerificationOptions
  /**
   * Receives errors that no call rejects with: a failed refresh, a storage that is denied or full, a
   * token that does not verify. Default: `console.warn`.
   */
  onError?: (error: unknown) => void
}

/** The claims of a verified access token. Until it is verified, a token counts as expired and invalid. */
export interface TokenDetails {
  /** One of the roles is ADMIN, or one of `adminRoles`. */
  is_admin: boolean
  /** One of the roles contains "developer" or "admin", ignoring case. */
  is_developer: boolean
  /**
   * There is no token, its `exp` has passed, or it is not verified. The time is this machine's, or
   * the service's if a response showed it (`Date`); nothing in the token can postpone it.
   */
  is_expired: boolean
  /** The signature verifies, and the claims are valid for this service now. */
  is_valid: boolean
  /** The strings in `roles` and `role`, or those at `rolesClaim`. */
  roles: string[]
  /** The claim `provider`: the realm that issued the token. */
  provider: string | null
  /** `sub`, else `user_id`, `preferred_username` or `email`. */
  user_id: string | null
}

/**
 * How people sign in at a service; a service with only the bare specification sends just `urls` and
 * `realm`.
 */
export interface ExternalLoginInfo {
  urls: {
    /** The provider's authorization endpoint; '' if there is none. */
    login: string
    /** The page to which the provider redirects. */
    redirect: string
    /** Where the code is posted. */
    callback: string
  }
  /** Sent with the code as `Provider`. */
  realm: string
  /** The `client_id` for the login; default: the realm. */
  clientId?: string
  /** Identity providers to choose from. `id` is the `broker` of `startExternalLogin`. */
  brokers?: { id: string; name: string }[]
  /** What else the service offers, in its own terms. */
  methods?: string[]
  /** Requires PKCE (RFC 7636). */
  pkce?: 'S256'
}

/** The options of `startExternalLogin`. */
export interface StartExternalLoginOptions {
  /** Uses the login of this broker, from GET /api/info, instead of the stage's. */
  broker?: string
  /** The identity provider to open directly, sent as `kc_idp_hint`. */
  hint?: string
  /** Any text to return at the end, such as the page to open. */
  returnTo?: string
  /** The `client_id` if the service announces none; default: the realm. */
  clientId?: string
  /** Aborts the call, which then rejects. */
  signal?: AbortSignal
}

/** The service's response to the code. */
export interface ExternalLoginAnswer {
  /** The `returnTo` of the start; null if none was given or the start is unknown. */
  returnTo: string | null
  /**
   * The response body, also of a refusal. Without a response, the reason: `AuthError`, or
   * `ExternalLoginError` for a callback that was refused here or by the provider.
   */
  body: unknown
}

/** The options of `completeExternalLogin`. */
export interface CompleteExternalLoginOptions extends CallOptions {
  /** Receives the service's response before the call resolves. */
  onAnswer?: (answer: ExternalLoginAnswer) => void
}

/** The options of `AuthClient.fetch`. */
export interface AuthenticatedRequestInit extends RequestInit {
  /** This call's `api-version`, if it is not the authentication service's. */
  apiVersion?: string
}

/** The options of `AuthClient.request`. */
export interface AuthRequestInit extends RequestOptions {
  /** This call's `api-version`, if it is not the authentication service's. */
  apiVersion?: string
}

/** One person's session at one service. Its functions can be destructured: none uses `this`. */
export interface AuthClient {
  /**
   * The current state; the same object until it changes.
   * @example
   * const state = auth.getState()
   * if (state.status !== 'signedOut') console.log(state.session.userId, state.session.roles)
   */
  readonly getState: () => SessionState
  /**
   * Calls the listener at once and after every change; returns an unsubscribe function.
   * @example
   * const stop = auth.subscribe(({ status }) => {
   *   document.body.dataset['session'] = status
   * })
   * stop()
   */
  readonly subscribe: (listener: (state: SessionState) => void) => () => void
  /** The roles that open the dashboard, if the options name them. */
  readonly dashboardRoles: readonly string[] | undefined
  /**
   * POST /api/token/password with the body unchanged. True if the response has a token type.
   * @throws the answer's body for a status outside 200–299, such as a wrong password (401) or too many attempts (429)
   * @throws AuthError without `status` if there was no answer; with `rejectWith: 'error'` for every refusal, with `status`, `body` and `retryAfter`
   * @example
   * try {
   *   const isSignedIn = await auth.signIn({ email, password, provider: 'grove' })
   *   if (!isSignedIn) console.log('The service answered without a token.')
   * } catch (reason) {
   *   console.log(reason instanceof AuthError ? reason.message : reason)
   * }
   */
  readonly signIn: (body: object, options?: CallOptions) => Promise<boolean>
  /**
   * POST /api/signup; see `signIn`.
   * @throws what `signIn` rejects with, such as for an address that is taken (409)
   * @example
   * await auth.signUp({ email, password, provider: 'grove' })
   */
  readonly signUp: (body: object, options?: CallOptions) => Promise<boolean>
  /**
   * Clears the session and notifies the service without waiting. If the call does not reach the
   * service, it is retried while this page lives. Never rejects.
   * @example
   * await auth.signOut()
   * location.assign('/')
   */
  readonly signOut: () => Promise<void>
  /**
   * Exchanges the refresh token now; false on failure.
   * @throws AbortError of its signal alone
   * @example
   * if (!(await auth.refresh())) console.log(auth.getState().status)
   */
  readonly refresh: (options?: WaitOptions) => Promise<boolean>
  /**
   * The `Authorization` value, of a refreshed token if needed; null if there is none, or if someone
   * else signed in during the refresh.
   * @throws AbortError of its signal alone
   * @example
   * const authorization = await auth.getAuthorization()
   * const socket = new WebSocket('wss://api.example.com/live', ['bearer', authorization ?? ''])
   */
  readonly getAuthorization: (options?: WaitOptions) => Promise<string | null>
  /**
   * `fetch` with the session's `Authorization` and an `api-version`, retried once after a 401 and a
   * refresh, as the same user. Like `fetch`, it resolves for any status; it sends the XSRF header to the page's own origin.
   * Without a session, and after a failed refresh, the call is sent without `Authorization`.
   * @throws TypeError, as `fetch` does, if there was no answer
   * @throws AbortError of `init.signal`
   * @example
   * const response = await auth.fetch('https://api.example.com/api/developer/product', {
   *   apiVersion: '1.7',
   * })
   * if (response.ok) console.log(await response.json())
   */
  readonly fetch: (
    input: string | URL | Request,
    init?: AuthenticatedRequestInit,
  ) => Promise<Response>
  /**
   * `request` with the session: like `fetch`, but it also reads the response, sends the XSRF header
   * to the page's own origin and rejects with `AuthError` for a status outside 200–299.
   * @throws AuthError with `status`, `body`, `headers` and `retryAfter` for a status outside 200–299, without `status` if there was no answer
   * @example
   * const { body } = await auth.request('https://api.example.com/api/developer/product')
   * console.log(body)
   */
  readonly request: (url: string | URL, init?: AuthRequestInit) => Promise<HttpResponse>
  /**
   * Describes the current access token after verifying it. A token that is not signed by the
   * service's key ends the session. While the keys are unreachable the token is not valid, but the
   * session stays.
   * @throws AbortError of its signal alone
   * @example
   * const { is_valid, is_developer } = await auth.tokenDetails()
   * if (is_valid && is_developer) location.assign('/dashboard')
   */
  readonly tokenDetails: (options?: WaitOptions) => Promise<TokenDetails>
  /**
   * Whether an account uses this address.
   * @throws what `signIn` rejects with
   * @example
   * if (await auth.emailExists(email)) console.log('This address has an account.')
   */
  readonly emailExists: (email: string, options?: CallOptions) => Promise<boolean>
  /**
   * POST /api/send/validateEmail: requests a validation mail.
   * @throws what `signIn` rejects with, such as for too many mails (429)
   * @example
   * await auth.sendEmailValidation(email)
   */
  readonly sendEmailValidation: (email: string, options?: CallOptions) => Promise<void>
  /**
   * GET /api/stage/auth: how people sign in at this stage.
   * @throws what `signIn` rejects with
   * @throws ExternalLoginError with the code `unavailable` for an answer without that information
   * @example
   * const { brokers = [], methods = [] } = await auth.stageAuth()
   * console.log(brokers.map(({ name }) => name), methods)
   */
  readonly stageAuth: (options?: CallOptions) => Promise<ExternalLoginInfo>
  /**
   * GET /api/info: the external login of a broker at this realm; see `stageAuth`.
   * @throws what `stageAuth` rejects with
   * @example
   * const { urls } = await auth.info('google')
   * console.log(urls.login)
   */
  readonly info: (broker: string, options?: CallOptions) => Promise<ExternalLoginInfo>
  /**
   * GET /api/info/global: the external login of a broker at the default realm; see `stageAuth`.
   * @throws what `stageAuth` rejects with
   * @example
   * const { urls } = await auth.globalInfo('google')
   * console.log(urls.login)
   */
  readonly globalInfo: (broker: string, options?: CallOptions) => Promise<ExternalLoginInfo>
  /**
   * Starts an external login and returns the URL to open. Its one-time record (state, nonce, PKCE
   * verifier) is kept in this tab for ten minutes.
   * @throws what `stageAuth` rejects with
   * @example
   * location.href = await auth.startExternalLogin({ broker: 'google', returnTo: '/dashboard' })
   */
  readonly startExternalLogin: (options?: StartExternalLoginOptions) => Promise<string>
  /**
   * Completes an external login from the callback URL: posts its code and stores the session. True if
   * the response has a token type, otherwise false: the service failed, the provider refused, or the
   * state is missing, unknown, replayed, expired or foreign. The reason goes to `onError`, to
   * `onAnswer` and, as `error`, to the state. Never rejects.
   * @example
   * const isSignedIn = await auth.completeExternalLogin(location.href, {
   *   onAnswer: ({ returnTo, body }) => console.log(returnTo, body),
   * })
   * if (!isSignedIn) console.log(auth.getState())
   */
  readonly completeExternalLogin: (
    address: string,
    options?: CompleteExternalLoginOptions,
  ) => Promise<boolean>
  /**
   * The `Authorization` value of an anonymous token, '' on failure. Never a user's.
   * @throws AbortError of its signal alone
   * @example
   * const authorization = await auth.getAnonymousAuthorization()
   * await fetch('/api/catalogue/product', { headers: { authorization } })
   */
  readonly getAnonymousAuthorization: (options?: AnonymousOptions) => Promise<string>
  /**
   * Stops timers and listeners. The session stays stored.
   * @example
   * addEventListener('pagehide', () => auth.close())
   */
  readonly close: () => void
}
