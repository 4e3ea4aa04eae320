import { guessSkew } from './clock-skew.ts'
import { type RolesClaim, rolesOf } from './roles.ts'
import { decodeClaims, isText, type Token } from './token.ts'

/** A token and its payload. All times are milliseconds of this machine's clock. */
export interface Session {
  /** As the service sent it. */
  readonly token: Token
  /** When it was requested. */
  readonly receivedAt: number
  /** When it is due for a refresh; Infinity if the token has no expiry. */
  readonly expiresAt: number
  /** The offset from this machine's clock to the service's. */
  readonly skew: number
  /** The same if a response showed the service's clock; otherwise the skew is a guess. */
  readonly known?: number | undefined
  /** `sub`, else `user_id`, `preferred_username` or `email`; else the session's start. */
  readonly userId: string
  /** The realm that issued the token. */
  readonly provider: string | null
  /** From the unverified payload; `tokenDetails` has the verified ones. */
  readonly roles: readonly string[]
}

/** Metadata of a token. */
export interface Origin {
  receivedAt: number
  /**
   * The measured offset of the service's clock in milliseconds; if absent, it is estimated from the
   * token.
   */
  known?: number | undefined
  /** Of the session that this token continues. */
  userId?: string | undefined
  /** The claim with the roles; see `AuthClientOptions`. */
  rolesClaim?: RolesClaim | undefined
}

/** Builds the session of a token. */
export function createSession(token: Token, origin: Origin): Session {
  const claims = decodeClaims(token.accessToken)
  const { provider } = claims
  const { receivedAt, known } = origin
  const [exp, iat] = [milliseconds(claims['exp']), milliseconds(claims['iat'])]
  const skew = known ?? guessSkew(receivedAt, iat, exp)
  return {
    token,
    receivedAt,
    expiresAt: exp === null ? Infinity : exp - skew,
    skew,
    known,
    userId: userIdOf(claims) ?? origin.userId ?? `session ${receivedAt}`,
    provider: isText(provider) ? provider : null,
    roles: rolesOf(claims, origin.rolesClaim),
  }
}

/** The `Authorization` value. */
export function authorizationOf({ token }: Session): string {
  return `Bearer ${token.accessToken}`
}

/**
 * Marks a session of unknown age, because the clock was set back after it arrived: if it can be
 * refreshed, it counts as expired.
 */
export function withUnknownAge(session: Session, now: number): Session {
  const isEnding = session.token.refreshToken && { expiresAt: now }
  return { ...session, receivedAt: now - 1000, ...isEnding }
}

export function isSameToken(found: Session | null, { token }: Session): boolean {
  return (
    found?.token.accessToken === token.accessToken &&
    found.token.refreshToken === token.refreshToken
  )
}

function userIdOf(claims: Readonly<Record<string, unknown>>): string | undefined {
  return ['sub', 'user_id', 'preferred_username', 'email'].map((name) => claims[name]).find(isText)
}

function milliseconds(value: unknown): number | null {
  return Number.isFinite(value) ? (value as number) * 1000 : null
}
