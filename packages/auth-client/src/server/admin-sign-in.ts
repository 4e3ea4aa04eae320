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

/** For this many milliseconds after a failed sign-in, callers get its rejection instead of a retry. */
const PAUSE = 1000

// A token is renewed this long before its end, or a tenth of its life if that is shorter, so that
// it does not end on its way.
const MARGIN = 30_000

/** The options of `createAdminSignIn`; each wins over its environment variable. */
export interface AdminSignInOptions {
  /** The authentication service's base address; GROVE_AUTH_URL. */
  authUrl?: string
  /** GROVE_ADMIN_EMAIL. */
  email?: string
  /** GROVE_ADMIN_PASSWORD. */
  password?: string
  /** The auth provider; GROVE_AUTH_PROVIDER. */
  provider?: string
  /** The service's `api-version`, '1' by default. */
  apiVersion?: string
  /** As of `createAuthClient`. */
  paths?: AuthClientOptions['paths']
  /** Whether this answer to a refresh ends the session, as of `createAuthClient`. */
  isRejected?: IsRejected
  /** Milliseconds that a call to the service may take: 10,000 by default, 0 is no limit. */
  timeout?: number
  /** Where the variables are read; `process.env` by default. */
  environment?: Record<string, string | undefined>
  /** Sends every request; the global `fetch` by default. */
  fetch?: typeof fetch
  /** Milliseconds since 1970, `Date.now` by default. */
  clock?: () => number
}

/** One admin's session, for all callers of a process. */
export interface AdminSignIn {
  /**
   * The `Authorization` value of the admin, signed in or refreshed first if need be. Rejects with
   * the server's body, or with `AuthError` when there was no answer.
   */
  readonly getAuthorization: () => Promise<string>
  /** `fetch` as the admin, with an `api-version`; after a 401, it renews the token and retries once. */
  readonly fetch: AuthClient['fetch']
}

/**
 * Signs a server in as the admin of its environment settings. The token is kept in memory alone
 * until it ends. Sends nothing yet; throws when a setting is missing, naming its variable.
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

  /** Uses the refresh token; signs in again when there is none or the service refuses it. */
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
    fetch: createAuthenticatedFetch({
      fetch: send,
      apiVersion,
      currentSession: (signal) => abortable(currentSession(), signal),
      renew: (refused, signal) => abortable(renewRefused(refused), signal),
    }),
  }
}

function isFresh({ receivedAt, expiresAt }: Session, now: number): boolean {
  // A clock that was set back does not tell the token's age.
  if (now < receivedAt - CLOCK_JITTER) return false
  return now < expiresAt - Math.min(MARGIN, (expiresAt - receivedAt) / 10)
}
