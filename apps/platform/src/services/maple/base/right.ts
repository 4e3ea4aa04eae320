import { mapleRights, type MapleRight } from '@grove/contract/maple/access/right.rules'
import { isAdmin, type AnyActor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'

/** An admin has every right, unless the call is limited to a grant. */
export const hasRight = (actor: AnyActor, right: MapleRight): boolean =>
  actor.mandate?.rights.includes(right) ?? isAdmin(actor)

/** All rights of an actor, for work that continues without the person. */
export const rightsOfActor = (actor: Pick<AnyActor, 'mandate' | 'roles'>): readonly string[] =>
  actor.mandate?.rights ?? (isAdmin(actor) ? mapleRights : [])

/** Checks an additional right needed by part of a call. @throws ProblemError `forbidden`. */
export function assertRight(actor: AnyActor, right: MapleRight): void {
  if (!hasRight(actor, right))
    throw new ProblemError('forbidden', 'You do not have the right to do this.')
}
