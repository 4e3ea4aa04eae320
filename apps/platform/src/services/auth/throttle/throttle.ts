import { createHash } from 'node:crypto'
import { ProblemError } from '../../../core/http/problem.ts'
import type { AuthDb } from '../tables.ts'
import { networksOf } from '../../../core/http/network.ts'
import { addAttempt, forgetAttempts, readBusyUntil, removeAttempt } from './throttle.queries.ts'

/** A leaky bucket: `burst` attempts at once, then one every `everyMs`. */
export interface Limit {
  name: string
  burst: number
  everyMs: number
}

/** A counted attempt, which can be given back if it was not a guess. */
export type Attempt = () => Promise<void>

/**
 * Counts an attempt before it is made, so that concurrent ones cannot pass together.
 * @throws ProblemError `too_many_attempts` with the seconds until the next one is free.
 */
export async function takeAttempt(
  db: AuthDb,
  limit: Limit,
  subject: string,
  now: number,
): Promise<Attempt> {
  const key = keyOf(limit, subject)
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

/**
 * Counts an attempt of a network and of the wider ones around it: someone with an IPv6 /48 has 65,536
 * networks, each with its own bucket.
 */
export async function takeNetworkAttempt(
  db: AuthDb,
  limit: Limit,
  ip: string,
  now: number,
): Promise<Attempt> {
  const attempts: Attempt[] = []
  for (const [index, network] of networksOf(ip).entries()) {
    const wider = {
      name: limit.name,
      burst: limit.burst * 2 ** index,
      everyMs: limit.everyMs / 2 ** index,
    }
    attempts.push(await takeAttempt(db, wider, network, now))
  }
  return async () => {
    for (const giveBack of attempts) await giveBack()
  }
}

/** Resets the count, once the owner has proven who they are in another way. */
export const forgetAttemptsOf = (db: AuthDb, limit: Limit, subject: string): Promise<void> =>
  forgetAttempts(db, keyOf(limit, subject))

export const keyOf = (limit: Limit, subject: string): string =>
  createHash('sha256').update(`${limit.name} ${subject}`).digest('base64url')
