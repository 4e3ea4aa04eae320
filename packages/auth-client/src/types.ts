import type { JWK } from 'jose'
import type { SessionState } from './session/machine.ts'
import type { StorageChoice } from './session/storage.ts'

export interface VerificationOptions {
  /** A public key as PEM (SPKI) or JWK. */
  publicKey?: string | JWK
  /** Where the service publishes its keys; may be relative to `authUrl`. */
  jwksUrl?: string
  issuer?: string
  audience?: string
  /** Narrows the allowed algorithms, which are ES256, EdDSA and RS256. */
  algorithms?: string[]
  /** The one `typ` to accept; without it `JWT`, `at+jwt` (also with `application/`) or none. */
  typ?: string
}

export interface AuthClientOptions {
  /** The authentication service's base address; '' is the page's own origin. */
  authUrl: string
  /** The auth provider, sent as `provider`. */
  realm: string
  /** Part of the storage key: sessions of two stages stay apart. */
  stage: string
  /** The service's `api-version`, '1' by default. */
  apiVersion?: string
  /**
   * `localStorage` ('local') by default, `sessionStorage` ('session'), 'memory' or one of your own.
   * Falls back to memory when it is missing, denied or full.
   */
  storage?: StorageChoice
  fetch?: typeof fetch
  /** Milliseconds since 1970, `Date.now` by default. */
  clock?: () => number
  /** Without it no token is ever valid: see `tokenDetails`. */
  verification?: VerificationOptions
  /** Receives errors that the client swallows; `console.warn` by default. */
  onError?: (error: unknown) => void
}

/** The claims of a verified access token. Until it is verified, a token counts as expired and invalid. */
export interface TokenDetails {
  is_admin: boolean
  is_developer: boolean
  is_expired: boolean
  is_valid: boolean
  roles: string[]
  provider: string | null
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
  clientId?: string
  brokers?: { id: string; name: string }[]
  methods?: string[]
  pkce?: 'S256'
}

export interface StartExternalLoginOptions {
  /** The login of this broker, by GET /api/info, in place of the stage's. */
  broker?: string
  /** The identity provider to open directly, sent as `kc_idp_hint`. */
  hint?: string
  /** Any text that is given back at the end, such as the page to go to. */
  returnTo?: string
  /** The `client_id` where the service announces none; the realm without either. */
  clientId?: string
}

/** How the service answered the code. */
export interface ExternalLoginAnswer {
  returnTo: string | null
  /** The answer's body, a refusal's too; an `HttpError` when there was none. */
  body: unknown
}

export interface CompleteExternalLoginOptions {
  /** Receives the service's answer before the call resolves. */
  onAnswer?: (answer: ExternalLoginAnswer) => void
}

export interface AuthenticatedRequestInit extends RequestInit {
  /** This call's `api-version`, where it is not the authentication service's. */
  apiVersion?: string
}

export interface AuthClient {
  /** The state now; the same object until it changes. */
  readonly getState: () => SessionState
  /** Calls the listener after every change; returns the function that ends it. */
  readonly subscribe: (listener: (state: SessionState) => void) => () => void
  /**
   * POST /api/token/password with the body as it is. True when the answer carries a token type.
   * Rejects with the server's body, or with `HttpError` when there was no answer.
   */
  readonly signIn: (body: Record<string, unknown>) => Promise<boolean>
  /** POST /api/signup; as `signIn`. */
  readonly signUp: (body: Record<string, unknown>) => Promise<boolean>
  /** Clears the session and notifies the service without waiting for it. Never rejects. */
  readonly signOut: () => Promise<void>
  /** Exchanges the refresh token now; false when that failed. Never rejects. */
  readonly refresh: () => Promise<boolean>
  /**
   * The `Authorization` value, of a refreshed token if need be; null when there is none, or when
   * someone else signed in while the refresh ran. Never rejects.
   */
  readonly getAuthorization: () => Promise<string | null>
  /**
   * `fetch` with the session's `Authorization` and an `api-version`, sent again once after a 401 and
   * a refresh, as the same user.
   */
  readonly fetch: (
    input: string | URL | Request,
    init?: AuthenticatedRequestInit,
  ) => Promise<Response>
  /** Describes the current access token; it is verified first. Never rejects. */
  readonly tokenDetails: () => Promise<TokenDetails>
  /** Whether an account uses this address. Rejects as `signIn` does. */
  readonly emailExists: (email: string) => Promise<boolean>
  /** POST /api/send/validateEmail: asks for a mail that validates it. Rejects as `signIn` does. */
  readonly sendEmailValidation: (email: string) => Promise<void>
  /**
   * GET /api/stage/auth: how people sign in at this stage. Rejects as `signIn` does, and with
   * `ExternalLoginError` (`unavailable`) for an answer without that information.
   */
  readonly stageAuth: () => Promise<ExternalLoginInfo>
  /** GET /api/info: the external login of a broker at this realm; as `stageAuth`. */
  readonly info: (broker: string) => Promise<ExternalLoginInfo>
  /** GET /api/info/global: the external login of a broker at the default realm; as `stageAuth`. */
  readonly globalInfo: (broker: string) => Promise<ExternalLoginInfo>
  /**
   * Starts an external login and returns the address to open. Its one-time record (state, nonce,
   * PKCE verifier) is kept in this tab for ten minutes. Rejects as `stageAuth`.
   */
  readonly startExternalLogin: (options?: StartExternalLoginOptions) => Promise<string>
  /**
   * Completes an external login from the address of the callback: posts its code and stores
   * the session. True when the answer carries a token type, false on failure of the service.
   * Rejects with `ExternalLoginError` alone: for a state that is missing, unknown, replayed,
   * expired or foreign, a provider's error, and a token of another login.
   */
  readonly completeExternalLogin: (
    address: string,
    options?: CompleteExternalLoginOptions,
  ) => Promise<boolean>
  /** The `Authorization` value of an anonymous token, '' on failure. Never a user's; never rejects. */
  readonly getAnonymousAuthorization: () => Promise<string>
  /** Stops timers and listeners. The session stays stored. */
  readonly close: () => void
}
