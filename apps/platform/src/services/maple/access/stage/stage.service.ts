import type { FastifyRequest } from 'fastify'
import { stageHeader } from '@grove/contract/stage.rules'
import { mapleRights, stageRights } from '@grove/contract/maple/access/right.rules'
import { isAdmin, type Actor, type Mandate } from '../../../../core/actor.ts'
import {
  keyToken,
  keyUser,
  type AccessToken,
  type VerifiedKey,
} from '../../../../core/http/access.ts'
import { originOf } from '../../../../core/http/add-call.ts'
import { serviceEvents } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { nameKey } from '../../../../core/database/name-key.ts'
import type { Stage, StageFinder } from './cedar-client.ts'
import { findStageService, insertStageService, type StageService } from './stage.queries.ts'

/** A third-party service may identify its users in another way; those have no account here. */
export const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Whether a request is for a working stage: it names one, or has an API key. */
export const asksForStage = ({ userId }: AccessToken, { headers }: FastifyRequest): boolean =>
  headers[stageHeader] !== undefined || userId.startsWith(keyUser)

/** Everything that a working stage allows, or that its key is limited to; for an admin every right. */
export async function findStageMandate(
  context: MapleContext,
  stages: StageFinder,
  token: AccessToken,
  request: FastifyRequest,
): Promise<Mandate | null> {
  const providerId = request.headers[stageHeader]
  if (providerId !== undefined && !(typeof providerId === 'string' && uuid.test(providerId)))
    return null
  const stage = await stages(request, providerId?.toLowerCase())
  if (!stage) return null
  const service = await requireService(context, token, request, stage)
  if (!service || (service.state === 'suspended' && !isAdmin(token))) return null
  const scopes = stage.scopes ?? stageRights
  const rights = isAdmin(token)
    ? mapleRights
    : stageRights.filter((right) => scopes.includes(right))
  const { endsAt = null } = stage
  return {
    rights,
    scope: { serviceId: service.id },
    ...(endsAt !== null && { endsAt: Date.parse(endsAt) }),
  }
}

/** The identity of an API key, according to Cedar. */
export async function verifyStageKey(
  { now }: MapleContext,
  stages: StageFinder,
  request: FastifyRequest,
  realm: string,
): Promise<VerifiedKey | undefined> {
  const stage = await stages(request, undefined)
  if (stage?.keyId === undefined || stage.keyId === null) return undefined
  return { kind: 'api', token: keyToken(stage.keyId, { realm, expiresAt: now() }) }
}

/** The service provider of a stage, created when the stage is first used. */
async function requireService(
  context: MapleContext,
  { userId }: AccessToken,
  request: FastifyRequest,
  stage: Stage,
): Promise<StageService | undefined> {
  const found = await findStageService(context.db, stage.providerId)
  if (found) return found
  await addStageService(context, { id: userId, origin: originOf(request) }, stage)
  return findStageService(context.db, stage.providerId)
}

/** False when the provider has a service provider already. */
export const addStageService = (
  { db }: Pick<MapleContext, 'db'>,
  actor: Pick<Actor, 'id' | 'origin'>,
  { providerId, name }: Pick<Stage, 'providerId' | 'name'>,
): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    if (!(await insertStageService(tx, { id: providerId, name, nameKey: nameKey(name) })))
      return false
    await serviceEvents.record(tx, actor, 'service.create', providerId, {
      after: { id: providerId, name, state: 'active', providerId },
    })
    return true
  })
