import { sql } from 'kysely'
import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { DeviceBulk, RevertPreview } from '@grove/contract/maple/fleet/device-bulk'
import { bulkResultDays } from '@grove/contract/maple/base/bulk.rules'
import type { Actor } from '../../../../core/actor.ts'
import { defineEvents } from '../../../../core/events/define-events.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { JobQueue } from '../../../../core/jobs/job-queue.ts'
import { ownerOf } from '../../base/job-turn.ts'
import { everything, scopeOf, serviceOf } from '../../../../core/scope.ts'
import type { FleetJobs } from '../jobs.ts'
import type { MapleContext } from '../../base/context.ts'
import { choiceOf } from '../device/device-choice.ts'
import type { DeviceFilterQuery } from '../device/device-filter.ts'
import { assertOwnService } from '../device/device.service.ts'
import { assertAllowed, rightsOf } from '../fleet.policy.ts'
import type { MapleDb } from '../../base/tables.ts'
import { assertOpenService } from '../../access/service/service.service.ts'
import {
  bulkList,
  countDevices,
  deviceResults,
  findBulk,
  insertBulk,
  lockBulk,
  readScope,
  setJob,
  type BulkFacts,
  type Touched,
} from './device-bulk.queries.ts'
import { storedChange } from './device-bulk.rules.ts'
import { previewRevert } from './revert.ts'

export type BulkContext = MapleContext & { jobs: JobQueue<FleetJobs> }

const events = defineEvents(
  'maple',
  ['device_bulk.create', 'device_bulk.revert', 'device_bulk.continue'],
  {
    columns: (id) => ({
      service_id: sql`(select service_id from maple.device_bulk where id = ${id}::uuid)`,
    }),
  },
)

export const countFilter = async (
  { db, now }: MapleContext,
  actor: Actor,
  query: DeviceFilterQuery,
): Promise<ResponseOf<Calls['GET /api/maple/device/bulk/count']>> => ({
  count: await countDevices(db, await choiceOf(db, query, { scope: scopeOf(actor), now: now() })),
})

type List = Calls['GET /api/maple/device/bulk']

export async function listBulks(
  { db }: MapleContext,
  actor: Actor,
  query: QueryOf<List>,
): Promise<ResponseOf<List>> {
  const page = await bulkList.read(db, query, scopeOf(actor))
  return { ...page, items: page.items.map((bulk) => withRights(actor, bulk)) }
}

const withRights = (actor: Actor, { keepsValues, ...bulk }: BulkFacts): DeviceBulk => ({
  ...bulk,
  rights: rightsOf(
    actor,
    { ...bulk, keepsValues },
    { revert: 'bulk.revert', continue: 'bulk.continue' },
  ),
})

/** @throws ProblemError `not_found`. */
export async function readBulk(
  { db }: MapleContext,
  actor: Actor,
  { id }: { id: string },
): Promise<DeviceBulk> {
  return withRights(actor, (await findBulk(db, id, scopeOf(actor))) ?? missing(id))
}

/** @throws ProblemError `invalid_request` or `service_suspended`. */
export function createBulk(
  { db, jobs, now }: BulkContext,
  actor: Actor,
  input: BodyOf<Calls['POST /api/maple/device/bulk']>,
): Promise<DeviceBulk> {
  const { filter } = input
  const serviceId = serviceOf(scopeOf(actor))
  const change = storedChange(input)
  if (change.serviceId !== undefined) assertOwnService(actor, change.serviceId)
  return db.transaction().execute(async (tx) => {
    // Refuses what cannot be read before there is a job.
    await choiceOf(tx, filter, { scope: scopeOf(actor), now: now() })
    if (change.serviceId) await assertOpenService(tx, change.serviceId)
    const id = await insertBulk(tx, {
      filter,
      change,
      createdBy: actor.id,
      serviceId,
    })
    await queue(tx, jobs, actor, id)
    await events.record(tx, actor, 'device_bulk.create', id, { after: { filter, change } })
    return withRights(actor, (await findBulk(tx, id, everything)) ?? missing(id))
  })
}

/** @throws ProblemError `not_found`, or why it cannot be continued. */
export function continueBulk(
  { db, jobs }: BulkContext,
  actor: Actor,
  { id }: { id: string },
): Promise<DeviceBulk> {
  return db.transaction().execute(async (tx) => {
    const bulk = (await lockBulk(tx, id, scopeOf(actor))) ?? missing(id)
    assertAllowed(actor, 'bulk.continue', bulk)
    await queue(tx, jobs, actor, id)
    await events.record(tx, actor, 'device_bulk.continue', id)
    return withRights(actor, (await findBulk(tx, id, everything)) ?? missing(id))
  })
}

/** The effects of a revert now. @throws ProblemError `not_found`, or why it cannot be reverted. */
export async function previewBulkRevert(
  { db }: MapleContext,
  actor: Actor,
  { id }: { id: string },
): Promise<RevertPreview> {
  const bulk = (await findBulk(db, id, scopeOf(actor))) ?? missing(id)
  assertAllowed(actor, 'bulk.revert', bulk)
  const scope = await readScope(db, id)
  return previewRevert(db, { of: 'bulk', id }, scope ?? missing(id))
}

/** @throws ProblemError `not_found`, or why it cannot be reverted. */
export function revertBulk(
  context: BulkContext,
  actor: Actor,
  { id, overwrites }: { id: string; overwrites: boolean },
): Promise<DeviceBulk> {
  return context.db.transaction().execute(async (tx) => {
    const bulk = (await lockBulk(tx, id, scopeOf(actor))) ?? missing(id)
    assertAllowed(actor, 'bulk.revert', bulk)
    const scope = (await readScope(tx, id)) ?? missing(id)
    return startRevert(tx, context.jobs, actor, {
      reverts: { of: 'bulk', id, overwrites },
      serviceId: serviceOf(scope),
      shown: { bulk: id, change: bulk.change, filter: bulk.filter, overwrites },
    })
  })
}

interface NewRevert {
  reverts: Touched & { overwrites: boolean }
  /** A revert stays in the scope of what it reverts. */
  serviceId: string | null
  /** Shown in its event. */
  shown: object
}

export async function startRevert(
  tx: MapleDb,
  jobs: BulkContext['jobs'],
  actor: Actor,
  { reverts, serviceId, shown }: NewRevert,
): Promise<DeviceBulk> {
  const id = await insertBulk(tx, {
    filter: {},
    change: { action: 'revert' },
    createdBy: actor.id,
    serviceId,
    reverts,
  })
  await queue(tx, jobs, actor, id)
  await events.record(tx, actor, 'device_bulk.revert', id, { after: { reverts: shown } })
  return withRights(actor, (await findBulk(tx, id, everything)) ?? missing(id))
}

/** Queues a change in its own scope; owners take turns. */
async function queue(
  tx: MapleDb,
  jobs: BulkContext['jobs'],
  actor: Actor,
  id: string,
): Promise<void> {
  const serviceId = serviceOf((await readScope(tx, id)) ?? missing(id))
  const asked = { owner: ownerOf(serviceId, actor.id), createdBy: actor.id, scope: serviceId }
  await setJob(tx, id, await jobs.enqueue(tx, 'device.bulk', { id }, asked))
}

/** The result for each device, by id. */
export async function exportResults(
  context: MapleContext,
  actor: Actor,
  { id }: { id: string },
): Promise<AsyncIterable<string>> {
  const { hasResults } = await readBulk(context, actor, { id })
  if (!hasResults)
    throw new ProblemError('not_found', `Results are deleted after ${bulkResultDays} days.`)
  return deviceResults.csv(context.db, id)
}

function missing(id: string): never {
  throw new ProblemError('not_found', `There is no bulk change ${id}.`)
}
