import { isAdmin, isDeveloper, rolesOf } from './session/roles.ts'
import type { Session } from './session/session.ts'
import { type Claims, isText } from './session/token.ts'
import type { VerifyToken } from './session/verify-token.ts'
import type { TokenDetails } from './types.ts'

/** The details of a token that is missing, ended, or not verified. */
export const UNVERIFIED: TokenDetails = {
  is_admin: false,
  is_developer: false,
  is_expired: true,
  is_valid: false,
  roles: [],
  provider: null,
  user_id: null,
}

/** Describes a session's token, verifying each token once. Never rejects. */
export function createTokenDetails(options: {
  verify: VerifyToken | null
  clock: () => number
  report: (error: unknown) => void
}) {
  let verified: { accessToken: string; claims: Promise<Claims> } | null = null

  function claimsOf(session: Session, verify: VerifyToken): Promise<Claims> {
    const { accessToken } = session.token
    if (verified?.accessToken !== accessToken) {
      const claims = verify(session, options.clock())
      verified = { accessToken, claims }
    }
    return verified.claims
  }

  return async (session: Session | null): Promise<TokenDetails> => {
    const { verify, clock, report } = options
    if (session === null || verify === null || clock() >= session.expiresAt) return UNVERIFIED
    try {
      const claims = await claimsOf(session, verify)
      if (clock() >= session.expiresAt) return UNVERIFIED
      const roles = rolesOf(claims)
      const { provider, sub } = claims
      return {
        is_admin: isAdmin(roles),
        is_developer: isDeveloper(roles),
        is_expired: false,
        is_valid: true,
        roles,
        provider: isText(provider) ? provider : null,
        user_id: isText(sub) ? sub : null,
      }
    } catch (error) {
      // The keys may have been out of reach: the next call tries again.
      verified = null
      report(error)
      return UNVERIFIED
    }
  }
}
