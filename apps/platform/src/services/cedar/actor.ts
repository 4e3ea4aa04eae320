import type { Caller } from '../../core/http/access.ts'
import type { Origin } from '../../core/http/add-call.ts'
import { audit } from '../../core/audit.ts'
import type { CedarDb } from './tables.ts'

/** Who acts, and from where. The sample workspace acts without a request. */
export interface Actor {
  userId: string
  isAdmin: boolean
  origin: Origin
}

export const actorOf = (input: { caller: Caller; origin: Origin }): Actor => ({
  userId: input.caller.userId,
  isAdmin: input.caller.isAdmin,
  origin: input.origin,
})

/** The user whose objects alone are in sight; an admin sees everyone's. */
export const visibleTo = (actor: Actor): string | undefined =>
  actor.isAdmin ? undefined : actor.userId

interface Change {
  before?: unknown
  after?: unknown
}

/** Records a change in the transaction that makes it. */
export const record = (
  db: CedarDb,
  actor: Actor,
  action: string,
  subject: string,
  change: Change = {},
) =>
  audit(db, 'cedar', {
    actor: actor.userId,
    action,
    subject,
    origin: actor.origin,
    ...change,
  })
