import { randomUUID } from 'node:crypto'
import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { ProviderRequest } from '@grove/contract/cedar/provider-request'
import { maxRequestsPerDay } from '@grove/contract/cedar/provider-request.rules'
import type { Actor } from '../../../core/actor.ts'
import { atRevision } from '../../../core/http/at-revision.ts'
import { invalidField, ProblemError } from '../../../core/http/problem.ts'
import { storedName } from '../../../core/http/stored-name.ts'
import { assertAllowed, rightsOf } from '../cedar.rules.ts'
import { record, visibleTo, type CedarAction, type CedarContext } from '../context.ts'
import { resolveUser } from '../parts/resolve-user.ts'
import {
  createRefusal,
  ensureGenericProvider,
  insertOrganisation,
} from '../provider/provider.service.ts'
import { lockProvider } from '../provider/provider.queries.ts'
import type { CedarDb } from '../tables.ts'
import { countRequests, requests, type RequestRow } from './provider-request.queries.ts'

interface At {
  id: string
  revision: number | undefined
}

export async function listRequests(
  { db }: CedarContext,
  actor: Actor,
  query: QueryOf<Calls['GET /api/provider/request']>,
): Promise<ResponseOf<Calls['GET /api/provider/request']>> {
  const page = await requests.read(db, { ...query, requestedBy: visibleTo(actor) })
  return { ...page, items: page.items.map((each) => withRights(actor, each)) }
}

/** @throws ProblemError `forbidden` if the actor may create a provider; `limit_reached`. */
export async function requestProvider(
  context: CedarContext,
  actor: Actor,
  { name, purpose }: BodyOf<Calls['POST /api/provider/request']>,
): Promise<ProviderRequest> {
  const personalId = await ensureGenericProvider(context, actor)
  return context.db.transaction().execute(async (db) => {
    // Serialised: each counts those before it.
    await lockProvider(db, personalId)
    if ((await createRefusal({ ...context, db }, actor.id)) === null)
      throw new ProblemError('forbidden', 'You can create the provider yourself.')
    const { open, today } = await countRequests(db, actor.id)
    if (open > 0)
      throw new ProblemError(
        'limit_reached',
        'You have an open request. Wait for the answer, or withdraw it first.',
      )
    if (today >= maxRequestsPerDay)
      throw new ProblemError(
        'limit_reached',
        `You have made ${maxRequestsPerDay} requests within a day. Try again tomorrow.`,
      )
    const after = await requests.insert(db, {
      id: randomUUID(),
      name: storedName('name', name),
      purpose: storedName('purpose', purpose),
      state: 'open',
      requestedBy: actor.id,
      reason: null,
      providerId: null,
    })
    if (!after) throw new Error('a new id is not taken')
    await record(db, actor, 'provider_request.create', after.id, { after })
    return withRights(actor, after)
  })
}

/**
 * Approves a request, which makes the provider, or refuses it.
 * @throws ProblemError `not_found`, `edit_conflict`, `approval_decided`, or one that names a field.
 */
export function decideRequest(
  context: CedarContext,
  actor: Actor,
  { id, revision, isApproved, reason: given }: At & BodyOf<Calls['PUT /api/provider/request']>,
): Promise<ProviderRequest> {
  return change(context, actor, { id, revision }, async (db, before) => {
    assertAllowed(actor, 'request.decide', before)
    const reason = given === undefined ? null : storedName('reason', given)
    if (!isApproved) {
      if (reason === null) throw invalidField('reason', 'required', 'Say why you refuse.')
      return [{ ...before, state: 'refused', reason }, 'provider_request.refuse']
    }
    const ownerId = await resolveUser(db, actor, { field: 'id', user: before.requestedBy })
    const providerId = randomUUID()
    await insertOrganisation(db, actor, { id: providerId, name: before.name, ownerId })
    return [{ ...before, state: 'approved', reason, providerId }, 'provider_request.approve']
  })
}

/** @throws ProblemError `not_found`, also for another user’s; `edit_conflict`, `approval_decided`. */
export const withdrawRequest = (
  context: CedarContext,
  actor: Actor,
  at: At,
): Promise<ProviderRequest> =>
  change(context, actor, at, (_db, before) => {
    assertAllowed(actor, 'request.withdraw', before)
    return Promise.resolve([{ ...before, state: 'withdrawn' }, 'provider_request.withdraw'])
  })

function change(
  context: CedarContext,
  actor: Actor,
  { id, revision }: At,
  make: (db: CedarDb, before: RequestRow) => Promise<[RequestRow, CedarAction]>,
): Promise<ProviderRequest> {
  return context.db.transaction().execute(async (db) => {
    const found = await requests.lock(db, id)
    const user = visibleTo(actor)
    const isVisible = user === undefined || found?.requestedBy === user
    const before = atRevision(isVisible ? found : undefined, revision, 'request')
    const [next, action] = await make(db, before)
    const after = (await requests.update(db, next)) ?? before
    await record(db, actor, action, id, { before, after })
    return withRights(actor, after)
  })
}

const withRights = (actor: Actor, request: RequestRow): ProviderRequest => ({
  ...request,
  rights: rightsOf(actor, request, { decide: 'request.decide', withdraw: 'request.withdraw' }),
})
