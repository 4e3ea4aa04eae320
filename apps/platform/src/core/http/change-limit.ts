import { rateLimit } from '../rate-limit.ts'
import type { AccessToken } from './access.ts'
import { ProblemError } from './problem.ts'

/** Counts a change of an account. @throws ProblemError `too_many_changes`. */
export type CountChange = (token: AccessToken) => void

/**
 * Limits the rate of an account's changes: each writes to the append-only audit trail. An account's
 * bucket holds a minute's worth.
 */
export function changeLimit(perMinute: number, now: () => number): CountChange {
  const waitOf = rateLimit({ burst: perMinute, perMinute, now })
  return ({ userId }) => {
    const wait = perMinute === 0 ? 0 : waitOf(userId)
    if (wait > 0)
      throw new ProblemError(
        'too_many_changes',
        `An account may make ${perMinute} changes per minute. Wait and try again.`,
        { retryAfter: Math.ceil(wait / 1000) },
      )
  }
}
