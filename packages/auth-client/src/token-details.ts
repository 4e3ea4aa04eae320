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
  /** null: nothing was given to verify with. */
  loadVerifier: (() => Promise<VerifyToken>) | null
  clock: () => number
  report: (error: unknown) => void
}) {
  const { loadVerifier, clock, report } = options
  let verifier: Promise<VerifyToken> | null = null
  let verified: { accessToken: string; claims: Promise<Claims> } | null = null

  async function verify(session: Session, load: () => Promise<VerifyToken>): Promise<Claims> {
    verifier ??= load().catch((error: unknown) => {
      verifier = null
      throw error
    })
    return (await verifier)(session, clock())
  }

  function claimsOf(session: Session, load: () => Promise<VerifyToken>): Promise<Claims> {
    const { accessToken } = session.token
    if (verified?.accessToken !== accessToken) {
      verified = { accessToken, claims: verify(session, load) }
    }
    return verified.claims
  }

  return async (session: Session | null): Promise<TokenDetails> => {
    if (session === null || loadVerifier === null || clock() >= session.expiresAt) return UNVERIFIED
    try {
      const claims = await claimsOf(session, loadVerifier)
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
      // The code or the keys may have been out of reach: the next call tries again.
      verified = null
      report(error)
      return UNVERIFIED
    }
  }
}
