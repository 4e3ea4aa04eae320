import type { AccessToken } from './access.ts'
import { ProblemError } from './problem.ts'

/** Counts a change of an account. @throws ProblemError `too_many_changes`. */
export type CountChange = (token: AccessToken) => void

// Far more than people who change something within the same minute.
const mostAccounts = 10_000

/**
 * Limits the changes that one account makes: each writes to the audit trail, which nothing takes
 * back. A bucket an account holds a minute's worth and is refilled steadily. Each process counts for
 * itself, so that no change costs a further write.
 */
export function changeLimit(perMinute: number, now: () => number): CountChange {
  const spacing = 60_000 / perMinute
  // When the bucket of an account is full again, the least recently used first.
  const fullAt = new Map<string, number>()
  return ({ userId }) => {
    if (perMinute === 0) return
    const time = now()
    // Never more than a minute ahead: a clock that was set back must not lock anybody out.
    const at = Math.min(Math.max(fullAt.get(userId) ?? time, time), time + 60_000)
    fullAt.delete(userId)
    fullAt.set(userId, at)
    if (at + spacing > time + 60_000)
      throw new ProblemError(
        'too_many_changes',
        `An account may make ${perMinute} changes a minute. Wait and try again.`,
        { retryAfter: Math.ceil((at + spacing - time - 60_000) / 1000) },
      )
    fullAt.set(userId, at + spacing)
    if (fullAt.size > mostAccounts) fullAt.delete(fullAt.keys().next().value ?? '')
  }
}
