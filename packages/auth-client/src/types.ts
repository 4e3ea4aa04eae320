import type { JWK } from 'jose'
import type { HttpResponse, RequestOptions } from './http/request.ts'
import type { SessionState } from './session/machine.ts'
import type { IsRejected } from './session/refresh-failure.ts'
import type { RolesClaim } from './session/roles.ts'
import type { StorageChoice } from './session/storage.ts'

/** How access tokens are verified: with one key or with those of a JWKS, by jose. */
export interface VerificationOptions {
  /** A public key as PEM (SPKI) or JWK. */
  publicKey?: string | JWK
  /** Where the service publishes its keys; may be relative to `authUrl`. */
  jwksUrl?: string
  /** The `iss` that a token must have; any when absent. */
  issuer?: string
  /** The `aud` that a token must have or contain; any when absent. */
  audience?: string
  /** Narrows the allowed algorithms, which are ES256, EdDSA and RS256. */
  algorithms?: string[]
  /** The one `typ` to accept; without it `JWT`, `at+jwt` (also with `application/`) or none. */
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
  /** Ends the call, which rejects then. */
  signal?: AbortSignal | undefined
  /** Milliseconds; 0 is no limit. The client's `timeout` by default. */
  timeout?: number | undefined
}

/** The signal of one wait. */
export interface WaitOptions {
  /** Ends the wait, which rejects with its reason. What other callers wait for goes on. */
  signal?: AbortSignal | null | undefined
}

/** The options of `getAnonymousAuthorization`. */
export interface AnonymousOptions extends WaitOptions {
  /** The value that an API refused with 401: a new token is fetched in its place. */
  refused?: string
}

/** The options of `createAuthClient`; only `authUrl` and `realm` are required. */
export interface AuthClientOptions {
  /** The authentication service's base address; '' is the page's own origin. */
  authUrl: string
  /** The auth provider, sent as `provider`. */
  realm: string
  /** Part of the storage key: sessions of two stages stay apart. 'default' by default. */
  stage?: string
  /** The service's `api-version`, '1' by default; '' sends none. */
  apiVersion?: string
  /** Where a service has a call at another path, relative to `authUrl`. */
  paths?: Partial<Record<Path, string>>
  /** Milliseconds that a call to the service may take, a refresh too; 0, the default, is no limit. */
  timeout?: number
  /** What a refused call rejects with: the server's 'body' (the default) or an `AuthError`. */
  rejectWith?: 'body' | 'error'
  /**
   * Whether this answer to a refresh ends the session. By default every 4xx does but 408, 425 and
   * 429.
   */
  isRejected?: IsRejected
  /** The claim that has the roles, or the path to it. `role` and `roles` by default. */
  rolesClaim?: RolesClaim
  /** The roles that open the dashboard; DEVELOPER and ADMIN by default. */
  dashboardRoles?: readonly string[]
  /**
   * `localStorage` ('local') by default, `sessionStorage` ('session'), 'memory' or one of your own.
   * Falls back to memory when it is missing, denied or full.
   */
  storage?: StorageChoice
  /** Sends every request; the global `fetch` by default, looked up at each call. */
  fetch?: typeof fetch
  /** Milliseconds since 1970, `Date.now` by default. */
  clock?: () => number
  /** Without it no token is ever valid: see `tokenDetails`. */
  verification?: VerificationOptions
  /**
   * Receives errors that no call rejects with: a refresh that failed, a storage that is denied or
   * full, a token that does not verify. `console.warn` by default.
   */
  onError?: (error: unknown) => void
}

/** The claims of a verified access token. Until it is verified, a token counts as expired and invalid. */
export interface TokenDetails {
  /** One of the roles is ADMIN. */
  is_admin: boolean
  /** One of the roles contains "developer" or "admin", in any case. */
  is_developer: boolean
  /**
   * There is no token, its `exp` has passed, or it is not verified. The time is this machine's, or
   * the service's where an answer showed it (`Date`); nothing in the token puts it off.
   */
  is_expired: boolean
  /** The signature verifies, and the claims are those of this service, now. */
  is_valid: boolean
  /** The texts of `roles` and `role`, or those at `rolesClaim`. */
  roles: string[]
  /** The claim `provider`: the realm that issued the token. */
  provider: string | null
  /** `sub`, else `user_id`, `preferred_username` or `email`. */
  user_id: string | null
}

/** How people sign in at a service; one of the bare specification sends `urls` and `realm` alone. */
export interface ExternalLoginInfo {
  urls: {
    /** The provider's authorization endpoint; '' where there is none. */
    login: string
    /** The page that the provider sends the person back to. */
    redirect: string
    /** Where the code is posted. */
    callback: string
  }
  /** Sent with the code as `Provider`. */
  realm: string
  /** The `client_id` to open the login with; the realm when absent. */
  clientId?: string
  /** Identity providers to choose from. `id` is the `broker` of `startExternalLogin`. */
  brokers?: { id: string; name: string }[]
  /** What the service offers besides, in its own words. */
  methods?: string[]
  /** Asks for PKCE (RFC 7636). */
  pkce?: 'S256'
}

/** The options of `startExternalLogin`. */
export interface StartExternalLoginOptions {
  /** The login of this broker, by GET /api/info, in place of the stage's. */
  broker?: string
  /** The identity provider to open directly, sent as `kc_idp_hint`. */
  hint?: string
  /** Any text that is given back at the end, such as the page to go to. */
  returnTo?: string
  /** The `client_id` where the service announces none; the realm without either. */
  clientId?: string
  /** Ends the call, which rejects then. */
  signal?: AbortSignal
}

/** How the service answered the code. */
export interface ExternalLoginAnswer {
  /** The `returnTo` of the start; null where none was given or the start is not known. */
  returnTo: string | null
  /**
   * The answer's body, a refusal's too. Without an answer the reason: `AuthError`, or
   * `ExternalLoginError` for a callback that was refused here or by the provider.
   */
  body: unknown
}

/** The options of `completeExternalLogin`. */
export interface CompleteExternalLoginOptions extends CallOptions {
  /** Receives the service's answer before the call resolves. */
  onAnswer?: (answer: ExternalLoginAnswer) => void
}

/** The options of `AuthClient.fetch`. */
export interface AuthenticatedRequestInit extends RequestInit {
  /** This call's `api-version`, where it is not the authentication service's. */
  apiVersion?: string
}

/** The options of `AuthClient.request`. */
export interface AuthRequestInit extends RequestOptions {
  /** This call's `api-version`, where it is not the authentication service's. */
  apiVersion?: string
}

/** One person's session at one service. Its functions may be taken apart: none uses `this`. */
export interface AuthClient {
  /** The state now; the same object until it changes. */
  readonly getState: () => SessionState
  /** Calls the listener after every change; returns the function that ends it. */
  readonly subscribe: (listener: (state: SessionState) => void) => () => void
  /** The roles that open the dashboard, where the options name them. */
  readonly dashboardRoles: readonly string[] | undefined
  /**
   * POST /api/token/password with the body as it is. True when the answer carries a token type.
   * Rejects with the server's body, or with `AuthError` when there was no answer; always with
   * `AuthError` where `rejectWith` is 'error'.
   */
  readonly signIn: (body: object, options?: CallOptions) => Promise<boolean>
  /** POST /api/signup; as `signIn`. */
  readonly signUp: (body: object, options?: CallOptions) => Promise<boolean>
  /**
   * Clears the session and notifies the service without waiting for it. A call that does not reach
   * the service is sent again while this page lives. Never rejects.
   */
  readonly signOut: () => Promise<void>
  /** Exchanges the refresh token now; false when that failed. Rejects only by its signal. */
  readonly refresh: (options?: WaitOptions) => Promise<boolean>
  /**
   * The `Authorization` value, of a refreshed token if need be; null when there is none, or when
   * someone else signed in while the refresh ran. Rejects only by its signal.
   */
  readonly getAuthorization: (options?: WaitOptions) => Promise<string | null>
  /**
   * `fetch` with the session's `Authorization` and an `api-version`, sent again once after a 401 and
   * a refresh, as the same user. Like `fetch`, it resolves for any status and sends no XSRF header.
   * Without a session, and after a refresh that failed, the call goes out without `Authorization`.
   */
  readonly fetch: (
    input: string | URL | Request,
    init?: AuthenticatedRequestInit,
  ) => Promise<Response>
  /**
   * `request` with the session: as `fetch`, and in addition it reads the answer, sends the XSRF
   * header to the page's own origin and rejects with `AuthError` for a status outside 200–299.
   */
  readonly request: (url: string | URL, init?: AuthRequestInit) => Promise<HttpResponse>
  /**
   * Describes the current access token; it is verified first. A token that is not signed by the
   * service's key ends the session. While the keys are out of reach the token is not valid, and the
   * session stays. Rejects only by its signal.
   */
  readonly tokenDetails: (options?: WaitOptions) => Promise<TokenDetails>
  /** Whether an account uses this address. Rejects as `signIn` does. */
  readonly emailExists: (email: string, options?: CallOptions) => Promise<boolean>
  /** POST /api/send/validateEmail: asks for a mail that validates it. Rejects as `signIn` does. */
  readonly sendEmailValidation: (email: string, options?: CallOptions) => Promise<void>
  /**
   * GET /api/stage/auth: how people sign in at this stage. Rejects as `signIn` does, and with
   * `ExternalLoginError` (`unavailable`) for an answer without that information.
   */
  readonly stageAuth: (options?: CallOptions) => Promise<ExternalLoginInfo>
  /** GET /api/info: the external login of a broker at this realm; as `stageAuth`. */
  readonly info: (broker: string, options?: CallOptions) => Promise<ExternalLoginInfo>
  /** GET /api/info/global: the external login of a broker at the default realm; as `stageAuth`. */
  readonly globalInfo: (broker: string, options?: CallOptions) => Promise<ExternalLoginInfo>
  /**
   * Starts an external login and returns the address to open. Its one-time record (state, nonce,
   * PKCE verifier) is kept in this tab for ten minutes. Rejects as `stageAuth`.
   */
  readonly startExternalLogin: (options?: StartExternalLoginOptions) => Promise<string>
  /**
   * Completes an external login from the address of the callback: posts its code and stores
   * the session. True when the answer carries a token type, otherwise false: the service failed, the
   * provider refused, or the state is missing, unknown, replayed, expired or foreign. The reason
   * goes to `onError`, to `onAnswer` and, as `error`, to the state. Never rejects.
   */
  readonly completeExternalLogin: (
    address: string,
    options?: CompleteExternalLoginOptions,
  ) => Promise<boolean>
  /**
   * The `Authorization` value of an anonymous token, '' on failure. Never a user's. Rejects only by
   * its signal.
   */
  readonly getAnonymousAuthorization: (options?: AnonymousOptions) => Promise<string>
  /** Stops timers and listeners. The session stays stored. */
  readonly close: () => void
}
