import type { VerificationOptions } from '../types.ts'
import type { Session } from './session.ts'
import { createVerifier } from './verify-token.ts'

// This module is only ever imported dynamically: it brings the verification library with it.

export interface VerifierContext {
  authUrl: string
  fetch: typeof fetch
  clock: () => number
  currentSession: () => Session | null
  verification?: VerificationOptions
}

/**
 * Answers the current session once its token is verified, which is done once for each token; null
 * when there is none or it has ended. Rejects when the token does not verify.
 */
export function createSessionVerifier(context: VerifierContext): () => Promise<Session | null> {
  const { clock, currentSession } = context
  const verify = createVerifier(context.verification ?? {}, context)
  let last: { accessToken: string; verified: Promise<unknown> } | null = null

  return async function verified(): Promise<Session | null> {
    const session = currentSession()
    if (session === null || clock() >= session.expiresAt) return null
    const { accessToken } = session.token
    if (last?.accessToken !== accessToken)
      last = { accessToken, verified: verify(session, clock()) }
    try {
      await last.verified
    } catch (error) {
      // The keys may have been out of reach: the next call tries again.
      last = null
      if (currentSession() === session) throw error
    }
    // It may have ended, or another one begun, while the keys were fetched.
    return currentSession() === session ? session : verified()
  }
}
