import type { SessionState } from './session/machine.ts'
import type { SessionStorageAdapter } from './session/storage.ts'

export interface VerificationOptions {
  /** A public key as PEM (SPKI) or JWK. */
  publicKey?: string | JsonWebKey
  /** Where the service publishes its keys; may be relative to `authUrl`. */
  jwksUrl?: string
  issuer?: string
  audience?: string
  /** Narrows the allowed algorithms, which are ES256, EdDSA and RS256. */
  algorithms?: string[]
  /** The one `typ` to accept; without it `JWT`, `at+jwt` or none. */
  typ?: string
}

export interface AuthClientOptions {
  /** The authentication service's base address; '' is the page's own origin. */
  authUrl: string
  /** The auth provider, sent as `provider`. */
  realm: string
  /** Part of the storage key: sessions of two stages do not meet. */
  stage: string
  /** The service's `api-version`, '1' by default. */
  apiVersion?: string
  /** `localStorage` by default; memory where it is missing, denied or full. */
  storage?: SessionStorageAdapter
  fetch?: typeof fetch
  /** Milliseconds since 1970, `Date.now` by default. */
  clock?: () => number
  /** Without it no token is ever valid: see `tokenDetails`. */
  verification?: VerificationOptions
  /** Told of failures that are swallowed; `console.warn` by default. */
  onError?: (error: unknown) => void
}

/** What a verified access token says. Until it is verified a token is expired and invalid. */
export interface TokenDetails {
  is_admin: boolean
  is_developer: boolean
  is_expired: boolean
  is_valid: boolean
  roles: string[]
  provider: string | null
  user_id: string | null
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
  /** Clears the session at once and tells the service without waiting for it. Never rejects. */
  readonly signOut: () => Promise<void>
  /** Exchanges the refresh token now; false when that failed. Never rejects. */
  readonly refresh: () => Promise<boolean>
  /** The `Authorization` value, of a refreshed token if need be; null when there is none. */
  readonly getAuthorization: () => Promise<string | null>
  /** `fetch` with the session's `Authorization` and an `api-version`, sent again once after a 401. */
  readonly fetch: (input: RequestInfo | URL, init?: AuthenticatedRequestInit) => Promise<Response>
  /** Describes the current access token; it is verified first. Never rejects. */
  readonly tokenDetails: () => Promise<TokenDetails>
  /** Whether an account uses this address. Rejects as `signIn` does. */
  readonly emailExists: (email: string) => Promise<boolean>
  /** The `Authorization` value of an anonymous token, '' on failure. Never a user's token. */
  readonly getAnonymousAuthorization: () => Promise<string>
  /** Stops timers and listeners. The session stays stored. */
  readonly close: () => void
}
