import { detailsOf } from '../token-details.ts'
import type { TokenDetails, VerificationOptions } from '../types.ts'
import { endOf } from './end-of-session.ts'
import type { NewEvent } from './machine.ts'
import type { Keys } from './keys.ts'
import type { Session } from './session.ts'
import { createVerifier, InvalidToken, type VerifyToken } from './verify-token.ts'

// Always imported dynamically: most pages never need it.

export interface VerifierContext {
  authUrl: string
  fetch: typeof fetch
  clock: () => number
  report: (error: unknown) => void
  currentSession: () => Session | null
  subscribe: (listener: () => void) => unknown
  verification?: VerificationOptions | undefined
  adminRoles?: readonly string[] | undefined
  dispatch: (event: NewEvent) => void
}

export interface SessionVerifier {
  /** The details of the current session; those of no session while it cannot be verified. */
  details(): Promise<TokenDetails>
  /** Verifies the session, and from now on each one that follows. */
  watch(): void
}

/** Verifies the current session's token, once per token, and ends the session if it is invalid. */
export function verifySessions(
  context: VerifierContext,
  keysOf: (options: VerificationOptions, context: VerifierContext) => Keys,
): SessionVerifier {
  const { clock, currentSession } = context
  let verify: VerifyToken | null = null
  let last: { accessToken: string; verified: Promise<unknown> } | null = null
  let isWatching = false

  /** The session once it is verified; null if there is none or it has ended. */
  async function verified(): Promise<Session | null> {
    const session = currentSession()
    if (session === null || clock() >= Math.min(session.expiresAt, endOf(session))) return null
    if (!context.verification) throw new Error('No token is valid: set `verification`')
    verify ??= createVerifier(context.verification, keysOf(context.verification, context))
    const { accessToken } = session.token
    if (last?.accessToken !== accessToken)
      last = { accessToken, verified: verify(session, clock()) }
    const own = last
    try {
      await own.verified
    } catch (error) {
      // The keys may have been unreachable: the next call retries.
      if (last === own) last = null
      const isWrong = error instanceof InvalidToken
      // It will never verify: the session ends.
      if (isWrong) context.dispatch({ type: 'tokenInvalid', accessToken, error })
      if (isWrong || currentSession() === session) throw error
    }
    // The session may have ended, or another one started, while the keys were fetched.
    return currentSession() === session ? session : verified()
  }

  const details = async (): Promise<TokenDetails> =>
    detailsOf(
      await verified().catch((error: unknown) => {
        context.report(error)
        return null
      }),
      context.adminRoles,
    )

  return {
    details,
    watch() {
      if (isWatching || !context.verification) return
      isWatching = true
      context.subscribe(() => void details())
    },
  }
}
