import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import { defaultActivityDays } from '@grove/contract/maple/access/service.rules'
import type { Actor } from '../../../../core/actor.ts'
import { atRevision } from '../../../../core/http/at-revision.ts'
import { fieldProblem, invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { storedName } from '../../../../core/http/stored-name.ts'
import { recordService } from '../../../../core/records/record-service.ts'
import { isInScope, scopeOf, serviceOf } from '../../../../core/scope.ts'
import { serviceEvents as events } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { assertAllowed } from '../access.policy.ts'
import type { MapleDb } from '../../base/tables.ts'
import { countByDay, countUse, holdService, services } from './service.queries.ts'

const what = 'service provider'

type NewService = BodyOf<Calls['POST /api/maple/service']> & BodyOf<Calls['PUT /api/maple/service']>

const records = recordService(services, {
  what,
  subject: 'service',
  events,
  stored: ({ id, name, state = 'active' }: NewService) => ({
    id,
    name: storedName('name', name),
    state,
  }),
})

export const { create, update } = records

/** An account of a service provider sees only that one. */
export function list(
  context: MapleContext,
  actor: Actor,
  query: QueryOf<Calls['GET /api/maple/service']>,
): Promise<ResponseOf<Calls['GET /api/maple/service']>> {
  const own = serviceOf(scopeOf(actor))
  if (own === null) return records.list(context, actor, query)
  const { id = own } = query
  return id === own
    ? records.list(context, actor, { ...query, id })
    : Promise.resolve({ items: [], next: null, previous: null })
}

/** @throws ProblemError `not_found`, `edit_conflict`, or `service_in_use` while anything belongs to it. */
export function remove(
  { db }: MapleContext,
  actor: Actor,
  { id, revision }: { id: string; revision: number | undefined },
): Promise<null> {
  return db.transaction().execute(async (tx) => {
    // Locked for the delete: concurrent additions are counted, later ones find it gone.
    const before = atRevision(await services.lock(tx, id), revision, what)
    assertAllowed(actor, 'service.delete', await useOf(tx, id))
    await services.delete(tx, id)
    await events.record(tx, actor, 'service.delete', id, { before })
    return null
  })
}

/** @throws ProblemError `not_found`. */
export async function readImpact(
  { db }: MapleContext,
  actor: Actor,
  { id }: { id: string },
): Promise<ResponseOf<Calls['GET /api/maple/service/impact']>> {
  if (!isInScope(scopeOf(actor), id)) throw notFound(id)
  return useOf(db, id)
}

/**
 * Devices registered and events on each of the last days, today included.
 * @throws ProblemError `not_found`.
 */
export async function readActivity(
  { db, now }: MapleContext,
  actor: Actor,
  { id, days = defaultActivityDays }: QueryOf<Calls['GET /api/maple/service/activity']>,
): Promise<ResponseOf<Calls['GET /api/maple/service/activity']>> {
  if (!isInScope(scopeOf(actor), id)) throw notFound(id)
  await useOf(db, id)
  const today = Math.floor(now() / dayMs)
  const list = Array.from({ length: days }, (_, index) =>
    new Date((today - days + 1 + index) * dayMs).toISOString().slice(0, 10),
  )
  const counts = await countByDay(db, id, list[0] ?? '')
  return {
    items: list.map((day) => ({ day, devices: 0, events: 0, ...counts.get(day) })),
  }
}

const dayMs = 86_400_000

async function useOf(db: MapleDb, id: string) {
  const use = await countUse(db, id)
  if (!use) throw notFound(id)
  return use
}

const notFound = (id: string) =>
  new ProblemError('not_found', `There is no service provider ${id}.`)

/**
 * Call it in the transaction that adds an object to a service, or moves it there.
 * @throws ProblemError `invalid_request` or `service_suspended`, both on the field.
 */
export async function assertOpenService(tx: MapleDb, id: string, path = 'serviceId') {
  const state = await holdService(tx, id)
  if (state === undefined) throw invalidField(path, 'exists', `There is no service provider ${id}.`)
  if (state === 'suspended')
    throw fieldProblem(
      'service_suspended',
      path,
      `The service provider ${id} is suspended. Resume it before you add anything to it.`,
    )
}
