import { isAdmin } from '../../../../core/actor.ts'
import type { MandateFinder } from '../../../../core/http/access.ts'
import { scopeOfService, serviceOf } from '../../../../core/scope.ts'
import type { MapleContext } from '../../base/context.ts'
import type { StageFinder } from '../stage/cedar-client.ts'
import { asksForStage, findStageMandate, uuid } from '../stage/stage.service.ts'
import { readHolder } from './mandate.queries.ts'
import { rightsOfRoles } from './role.rules.ts'

/**
 * The rights of a requester: in the working stage named by the request, otherwise everywhere for an
 * admin and by the Maple account for anyone else. Null if they do not include the call.
 */
export async function findMandate(
  context: MapleContext,
  stages: StageFinder,
  ...[token, { right, isScoped }, request]: Parameters<MandateFinder>
): ReturnType<MandateFinder> {
  const isStaged = asksForStage(token, request)
  if (!isStaged && isAdmin(token)) return 'everything'
  const mandate = isStaged
    ? await findStageMandate(context, stages, token, request)
    : await rightsOfUser(context, token.userId)
  if (!mandate?.rights.includes(right)) return null
  return serviceOf(mandate.scope) === null || isScoped === true ? mandate : null
}

/** The rights of a person's Maple account; null without one, and while it grants none. */
export async function rightsOfUser({ db }: Pick<MapleContext, 'db'>, userId: string) {
  const holder = uuid.test(userId) ? await readHolder(db, userId) : undefined
  if (!holder || holder.isExpired || holder.isSuspended) return null
  return {
    rights: rightsOfRoles(holder.roles),
    scope: scopeOfService(holder.serviceId),
    ...(holder.expiresAt !== null && { endsAt: holder.expiresAt }),
  }
}
