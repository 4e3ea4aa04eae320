import { guessSkew } from './clock-skew.ts'
import { type RolesClaim, rolesOf } from './roles.ts'
import { type Claims, decodeClaims, isText, type Token } from './token.ts'

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
  const { expiresIn } = token
  const claims = decodeClaims(identityOf(token))
  const { provider } = claims
  const { receivedAt, known } = origin
  // An ID token's times differ from those of the access token next to it.
  const times = expiresIn ? {} : claims
  const [exp, iat] = [milliseconds(times['exp']), milliseconds(times['iat'])]
  const skew = known ?? guessSkew(receivedAt, iat, exp)
  return {
    token,
    receivedAt,
    expiresAt: exp - skew || receivedAt + (expiresIn ?? Infinity) * 1000,
    skew,
    known,
    userId: userIdOf(claims) ?? origin.userId ?? `session ${receivedAt}`,
    provider: isText(provider) ? provider : null,
    roles: rolesOf(claims, origin.rolesClaim),
  }
}

/** The JWT that says whose token it is. */
export const identityOf = ({ accessToken, idToken = '', expiresIn }: Token): string =>
  expiresIn ? idToken : accessToken

/** The `Authorization` value. */
export const authorizationOf = ({ token }: Session): string => `Bearer ${token.accessToken}`

/**
 * Marks a session of unknown age, because the clock was set back after it arrived: if it can be
 * refreshed, it counts as expired.
 */
export function withUnknownAge(session: Session, now: number): Session {
  const isEnding = session.token.refreshToken && { expiresAt: now }
  return { ...session, receivedAt: now - 1000, ...isEnding }
}

export const isSameToken = (found: Session | null, { token }: Session): boolean =>
  found?.token.accessToken === token.accessToken && found.token.refreshToken === token.refreshToken

const userIdOf = (claims: Claims): string | undefined =>
  ['sub', 'user_id', 'preferred_username', 'email'].map((name) => claims[name]).find(isText)

const milliseconds = (value: unknown): number =>
  Number.isFinite(value) ? (value as number) * 1000 : NaN
