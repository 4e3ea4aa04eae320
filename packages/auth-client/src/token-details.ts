import type { isAdmin, isDeveloper, rolesOf } from './session/roles.ts'
import type { Session } from './session/session.ts'
import type { Claims } from './session/token.ts'
import { createVerifier } from './session/verify-token.ts'
import type { TokenDetails, VerificationOptions } from './types.ts'

// This module is only ever imported dynamically: it brings the verification library with it. What it
// shares with the core is given to it, so that a bundler leaves the core in one piece.

export interface TokenDetailsContext {
  authUrl: string
  fetch: typeof fetch
  clock: () => number
  rolesOf: typeof rolesOf
  isAdmin: typeof isAdmin
  isDeveloper: typeof isDeveloper
}

/** Describes a session's token, verifying each token once; rejects when it does not verify. */
export function createTokenDetails(options: VerificationOptions, context: TokenDetailsContext) {
  const verify = createVerifier(options, context)
  let verified: { accessToken: string; claims: Promise<Claims> } | null = null

  function claimsOf(session: Session): Promise<Claims> {
    const { accessToken } = session.token
    if (verified?.accessToken !== accessToken) {
      verified = { accessToken, claims: verify(session, context.clock()) }
    }
    return verified.claims
  }

  return async (session: Session): Promise<TokenDetails> => {
    try {
      const claims = await claimsOf(session)
      const roles = context.rolesOf(claims)
      return {
        is_admin: context.isAdmin(roles),
        is_developer: context.isDeveloper(roles),
        is_expired: false,
        is_valid: true,
        roles,
        provider: textOrNull(claims['provider']),
        user_id: textOrNull(claims['sub']),
      }
    } catch (error) {
      // The keys may have been out of reach: the next call tries again.
      verified = null
      throw error
    }
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
