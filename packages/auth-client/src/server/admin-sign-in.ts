import { createAuthService } from '../auth-service.ts'
import { abortable } from '../http/abortable.ts'
import { createAuthenticatedFetch } from '../authenticated-fetch.ts'
import { AuthError } from '../http/auth-error.ts'
import { isRejection, type IsRejected } from '../session/refresh-failure.ts'
import { authorizationOf, type Session } from '../session/session.ts'
import { CLOCK_JITTER, REFRESH_SPACING } from '../session/session-times.ts'
import type { AuthClient, AuthClientOptions, Path } from '../types.ts'
import { readSettings } from './settings.ts'

/** Time limit of one call to the service, in milliseconds: a server must not wait forever. */
const TIMEOUT = 10_000

/**
 * For this many milliseconds after a failed sign-in, callers get its rejection instead of a retry.
 */
const PAUSE = 1000

// A token is renewed this long before it expires, or a tenth of its lifetime if that is shorter, so
// that it does not expire in transit.
const MARGIN = 30_000

/** The options of `createAdminSignIn`; each takes precedence over its environment variable. */
export interface AdminSignInOptions {
  /** The authentication service's base URL; GROVE_AUTH_URL. */
  authUrl?: string
  /** GROVE_ADMIN_EMAIL. */
  email?: string
  /** GROVE_ADMIN_PASSWORD. */
  password?: string
  /** The auth provider; GROVE_AUTH_PROVIDER. */
  provider?: string
  /** The service's `api-version`; default '1'. */
  apiVersion?: string
  /** See `createAuthClient`. */
  paths?: AuthClientOptions['paths']
  /** Whether this response to a refresh ends the session; see `createAuthClient`. */
  isRejected?: IsRejected
  /** Time limit of a call to the service in milliseconds; default 10,000, 0 for none. */
  timeout?: number
  /** Where the variables are read; default `process.env`. */
  environment?: Record<string, string | undefined>
  /** Sends every request; default: the global `fetch`. */
  fetch?: typeof fetch
  /** Milliseconds since 1970; default `Date.now`. */
  clock?: () => number
}

/** One admin session, shared by all callers of a process. */
export interface AdminSignIn {
  /**
   * The admin's `Authorization` value, after signing in or refreshing if needed. Rejects with the
   * server's body, or with `AuthError` if there was no response.
   */
  readonly getAuthorization: () => Promise<string>
  /**
   * `fetch` as the admin, with an `api-version`; after a 401, it renews the token and retries once.
   */
  readonly fetch: AuthClient['fetch']
}

/**
 * Signs a server in as the admin from environment settings. The token is kept only in memory, until
 * it expires. Sends nothing yet; throws if a setting is missing, naming its variable.
 */
export function createAdminSignIn(options: AdminSignInOptions = {}): AdminSignIn {
  const { authUrl, email, password, provider } = readSettings(options)
  const { apiVersion, clock = () => Date.now() } = options
  const send: typeof fetch = (input, init) => (options.fetch ?? globalThis.fetch)(input, init)
  const service = createAuthService({
    timeout: TIMEOUT,
    ...options,
    authUrl,
    realm: provider,
    clock,
    fetch: send,
  })

  let session: Session | null = null
  let pending: Promise<Session> | null = null
  let failure: { reason: unknown; at: number } | null = null

  async function exchange(path: Path, json: object, replaced?: Session): Promise<Session> {
    const received = await service.receive(() => service.post(path, json), replaced)
    if (received === null) throw new Error(`${path} was answered without a token`)
    return received
  }

  /** Uses the refresh token; signs in again if there is none or the service refuses it. */
  async function obtain(): Promise<Session> {
    const refreshToken = session?.token.refreshToken
    if (session && refreshToken) {
      try {
        return await exchange('/api/token/refresh', { refreshToken, provider }, session)
      } catch (error) {
        if (!isRejection(error, options.isRejected)) throw error
        session = null
      }
    }
    return exchange('/api/token/password', { email, password, provider })
  }

  async function settle(): Promise<Session> {
    try {
      session = await obtain()
      failure = null
      return session
    } catch (reason) {
      failure = { reason, at: clock() }
      throw reason
    } finally {
      pending = null
    }
  }

  async function renew(): Promise<Session> {
    // Otherwise every concurrent caller would resend a refused password.
    if (!pending && failure && Math.abs(clock() - failure.at) < PAUSE) throw failure.reason
    pending ??= settle()
    return pending
  }

  async function currentSession(): Promise<Session> {
    const held = session
    if (held && isFresh(held, clock())) return held
    try {
      return await renew()
    } catch (error) {
      // The service may be unreachable; use the token until it expires.
      if (session && clock() < session.expiresAt) return session
      throw error instanceof AuthError && error.body ? error.body : error
    }
  }

  async function renewRefused(refused: Session): Promise<Session | null> {
    const held = session
    if (held === refused) {
      // A token refused this soon is not too old, so a new one would be refused too.
      if (Math.abs(clock() - held.receivedAt) < REFRESH_SPACING) return null
      await renew().catch(() => null)
    }
    return session === refused ? null : session
  }

  return {
    getAuthorization: async () => authorizationOf(await currentSession()),
    fetch: createAuthenticatedFetch(
      send,
      apiVersion,
      (signal) => abortable(currentSession(), signal),
      (refused, signal) => abortable(renewRefused(refused), signal),
    ),
  }
}

function isFresh({ receivedAt, expiresAt }: Session, now: number): boolean {
  // After the clock was set back, the token's age is unknown.
  if (now < receivedAt - CLOCK_JITTER) return false
  return now < expiresAt - Math.min(MARGIN, (expiresAt - receivedAt) / 10)
}
