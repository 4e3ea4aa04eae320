import { guessSkew } from './clock-skew.ts'
import { type RolesClaim, rolesOf } from './roles.ts'
import { decodeClaims, isText, type Token } from './token.ts'

/** A token and what its payload says. All times are milliseconds of this machine's clock. */
export interface Session {
  /** As the service sent it. */
  readonly token: Token
  /** When it was asked for. */
  readonly receivedAt: number
  /** When it is due for a refresh; Infinity when the token has no expiry. */
  readonly expiresAt: number
  /** What to add to this machine's clock to get the service's. */
  readonly skew: number
  /** The same where an answer showed the service's clock; else the skew is a guess. */
  readonly known?: number | undefined
  /** `sub`, else `user_id`, `preferred_username` or `email`; else the session's start. */
  readonly userId: string
  /** The realm that issued the token. */
  readonly provider: string | null
  /** From the unverified payload: `tokenDetails` has the verified ones. */
  readonly roles: readonly string[]
}

/** What is known of a token beside its text. */
export interface Origin {
  receivedAt: number
  /** What an answer showed of the service's clock, in milliseconds; the token is asked when absent. */
  known?: number | undefined
  /** Of the session that this token continues. */
  userId?: string | undefined
  /** Where the roles are; see `AuthClientOptions`. */
  rolesClaim?: RolesClaim | undefined
}

/** Reads a token of that origin. */
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
 * Marks a session whose age cannot be known, since the clock was set back after it came: one that
 * can be refreshed counts as expired.
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
