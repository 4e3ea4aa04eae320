import type { MapleRight } from '@grove/contract/maple/access/right.rules'
import { isAdmin, type Actor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'

/** What a part of a call needs besides the right of the call. @throws ProblemError `forbidden`. */
export function demandRight(actor: Actor, right: MapleRight): void {
  if (actor.mandate ? actor.mandate.rights.includes(right) : isAdmin(actor)) return
  throw new ProblemError('forbidden', 'You do not have the right to do this.')
}
