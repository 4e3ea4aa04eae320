import { createHash } from 'node:crypto'
import { ProblemError } from '../../../core/http/problem.ts'
import type { AuthDb } from '../tables.ts'
import { addAttempt, readBusyUntil, removeAttempt } from './throttle.queries.ts'

/** A leaky bucket: `burst` attempts at once, then one every `everyMs`. */
export interface Limit {
  name: string
  burst: number
  everyMs: number
}

/** An attempt that was counted: given back when it turns out to be no guess. */
export type Attempt = () => Promise<void>

/**
 * Counts an attempt before it is made, so that many at once cannot pass together.
 * @throws ProblemError `too_many_attempts` with the seconds until the next one is free.
 */
export async function takeAttempt(
  db: AuthDb,
  limit: Limit,
  subject: string,
  now: number,
): Promise<Attempt> {
  const key = createHash('sha256').update(`${limit.name} ${subject}`).digest('base64url')
  const capacityMs = limit.burst * limit.everyMs
  if (await addAttempt(db, key, now, limit.everyMs, capacityMs))
    return () => removeAttempt(db, key, limit.everyMs)
  const waitMs = (await readBusyUntil(db, key)) + limit.everyMs - capacityMs - now
  const retryAfter = Math.max(1, Math.ceil(waitMs / 1000))
  throw new ProblemError(
    'too_many_attempts',
    `Too many attempts. Try again in ${retryAfter} seconds.`,
    { retryAfter },
  )
}
