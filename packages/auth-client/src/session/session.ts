import { rolesOf } from './roles.ts'
import { decodeClaims, isText, type Token } from './token.ts'

/** Milliseconds between two readings of the clock that do not mean that it was set back. */
export const CLOCK_JITTER = 1000

/** Milliseconds before a new token may be refreshed, regardless of the clock or a 401. */
export const REFRESH_SPACING = 10_000

/** A token and what its payload says. All times are milliseconds of this machine's clock. */
export interface Session {
  readonly token: Token
  readonly receivedAt: number
  /** Infinity when the token names no end. */
  readonly expiresAt: number
  /** What to add to this machine's clock to get the service's. */
  readonly skew: number
  readonly userId: string | null
  /** The realm that issued the token. */
  readonly provider: string | null
  /** As the payload says them, unverified: `tokenDetails` answers the verified ones. */
  readonly roles: readonly string[]
}

/** Reads a token that was received at that time of this machine's clock. */
export function createSession(token: Token, receivedAt: number): Session {
  const claims = decodeClaims(token.accessToken)
  const { sub, provider, exp, iat } = claims
  const issuedAt = seconds(iat)
  return {
    token,
    receivedAt,
    expiresAt: receivedAt + lifetime(seconds(exp), issuedAt, receivedAt),
    skew: issuedAt === null ? 0 : issuedAt - receivedAt,
    userId: isText(sub) ? sub : null,
    provider: isText(provider) ? provider : null,
    roles: rolesOf(claims),
  }
}

/** The `Authorization` value. */
export function authorizationOf({ token }: Session): string {
  return `Bearer ${token.accessToken}`
}

/**
 * Reads a token whose age cannot be known, since the clock was set back after it came: one that can
 * be refreshed counts as ended.
 */
export function withUnknownAge(token: Token, now: number): Session {
  const session = createSession(token, now)
  return token.refreshToken ? { ...session, receivedAt: now - 1000, expiresAt: now } : session
}

export function isSameToken(found: Session | null, { token }: Session): boolean {
  return (
    found?.token.accessToken === token.accessToken &&
    found.token.refreshToken === token.refreshToken
  )
}

// exp − iat needs no agreement between the two clocks. Without iat the clocks have to be compared,
// and the spacing keeps a wrong one from asking for a refresh on every call.
function lifetime(exp: number | null, iat: number | null, receivedAt: number): number {
  if (exp === null) return Infinity
  if (iat !== null && exp > iat) return exp - iat
  return Math.max(exp - receivedAt, REFRESH_SPACING)
}

function seconds(value: unknown): number | null {
  return Number.isFinite(value) ? (value as number) * 1000 : null
}
