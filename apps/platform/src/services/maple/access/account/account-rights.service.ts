import type { Calls } from '@grove/contract/calls'
import type { ResponseOf } from '@grove/contract/call'
import { mapleRights } from '@grove/contract/maple/access/right.rules'
import type { Actor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { isInScope, scopeOf } from '../../../../core/scope.ts'
import type { MapleContext } from '../../base/context.ts'
import { readHolder } from '../role/mandate.queries.ts'
import { rightsOfUser } from '../role/mandate.service.ts'
import { roleRights, rightsOfRole } from '../role/role.rules.ts'

/**
 * The rights of an account and the roles that grant them, from the enforced table.
 * @throws ProblemError `not_found`.
 */
export async function readAccountRights(
  { db }: MapleContext,
  actor: Actor,
  { id }: { id: string },
): Promise<ResponseOf<Calls['GET /api/maple/account/rights']>> {
  const holder = await readHolder(db, id)
  if (!holder || !isInScope(scopeOf(actor), holder.serviceId))
    throw new ProblemError('not_found', `There is no Maple account ${id}.`)
  const { roles, serviceId, isExpired, isSuspended } = holder
  const having = (names: readonly string[], right: (typeof mapleRights)[number]) =>
    names.filter((role) => rightsOfRole(role).includes(right))
  return {
    id,
    serviceId,
    blockedBy: isExpired ? 'expired' : isSuspended ? 'service_suspended' : null,
    rights: mapleRights.map((right) => ({
      right,
      roles: having(roles, right),
      givenBy: having(Object.keys(roleRights), right),
    })),
    unknownRoles: roles.filter((role) => !Object.hasOwn(roleRights, role)),
  }
}

/** The current rights of the reader's own account; empty without one. */
export const readOwnRights = async (
  context: MapleContext,
  { id }: Actor,
): Promise<ResponseOf<Calls['GET /api/maple/account/own']>> => ({
  rights: [...((await rightsOfUser(context, id))?.rights ?? [])],
})
