import type { VerificationOptions } from '../types.ts'
import type { Session } from './session.ts'
import { createVerifier } from './verify-token.ts'

// This module is only ever imported dynamically: it brings the verification library with it.

export interface VerifierContext {
  authUrl: string
  fetch: typeof fetch
  clock: () => number
  verification?: VerificationOptions
}

/** Verifies each token once; rejects when it does not verify. */
export function createSessionVerifier(
  context: VerifierContext,
): (session: Session) => Promise<true> {
  const verify = createVerifier(context.verification ?? {}, context)
  let last: { accessToken: string; verified: Promise<unknown> } | null = null

  return async (session) => {
    const { accessToken } = session.token
    if (last?.accessToken !== accessToken) {
      last = { accessToken, verified: verify(session, context.clock()) }
    }
    try {
      await last.verified
      return true
    } catch (error) {
      // The keys may have been out of reach: the next call tries again.
      last = null
      throw error
    }
  }
}
