import type { Calls } from '@grove/contract/calls'
import type { ResponseOf } from '@grove/contract/call'
import { mapleRights } from '@grove/contract/maple/access/right.rules'
import type { Actor } from '../../../../core/actor.ts'
import { scopeOf, serviceOf } from '../../../../core/scope.ts'
import { rolesInUse } from '../account/account.queries.ts'
import type { MapleContext } from '../../base/context.ts'
import { can } from '../access.policy.ts'
import { grantersOf, rightsOfRole, roleRights } from './role.rules.ts'

/** The table of roles, and after them the names on accounts that the table lacks. */
export async function listRoles(
  { db }: MapleContext,
  actor: Actor,
): Promise<ResponseOf<Calls['GET /api/maple/roles']>> {
  const known = Object.keys(roleRights)
  // The names that accounts of other service providers have are not this actor's to see.
  const isScoped = serviceOf(scopeOf(actor)) !== null
  const unknown = isScoped ? [] : (await rolesInUse(db)).filter((role) => !known.includes(role))
  return {
    rights: [...mapleRights],
    items: [...known, ...unknown].map((role) => ({
      role,
      isKnown: known.includes(role),
      rights: [...rightsOfRole(role)],
      grantedBy: grantersOf(role),
      mayGrant: can(actor, 'role.grant', role) === null,
    })),
  }
}
