import type { MapleRight } from '@grove/contract/maple/access/right.rules'
import { isAdmin, type AnyActor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'

/** An admin has every right, except where the call keeps to a mandate. */
export const hasRight = (actor: AnyActor, right: MapleRight): boolean =>
  actor.mandate?.rights.includes(right) ?? isAdmin(actor)

/** What a part of a call needs besides the right of the call. @throws ProblemError `forbidden`. */
export function assertRight(actor: AnyActor, right: MapleRight): void {
  if (!hasRight(actor, right))
    throw new ProblemError('forbidden', 'You do not have the right to do this.')
}
