import { sql } from 'kysely'
import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { DeviceBulk } from '@grove/contract/maple/fleet/device-bulk'
import { bulkResultDays } from '@grove/contract/maple/base/bulk.rules'
import type { Actor } from '../../../../core/actor.ts'
import { defineEvents } from '../../../../core/events/define-events.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { JobQueue } from '../../../../core/jobs/job-queue.ts'
import { turnOf } from '../../base/job-turn.ts'
import { everything, scopeOf, serviceOf } from '../../../../core/scope.ts'
import type { FleetJobs } from '../jobs.ts'
import type { MapleContext } from '../../base/context.ts'
import { choiceOf } from '../device/device-choice.ts'
import type { DeviceFilterQuery } from '../device/device-filter.ts'
import { assertOwnService } from '../device/device.service.ts'
import { assertOpenService } from '../../access/service/service.service.ts'
import {
  bulkList,
  countDevices,
  deviceResults,
  findBulk,
  insertBulk,
  setJob,
} from './device-bulk.queries.ts'
import { storedChange } from './device-bulk.rules.ts'

export type BulkContext = MapleContext & { jobs: JobQueue<FleetJobs> }

const events = defineEvents('maple', ['device_bulk.create'], {
  columns: (id) => ({
    service_id: sql`(select service_id from maple.device_bulk where id = ${id}::uuid)`,
  }),
})

export const countFilter = async (
  { db, now }: MapleContext,
  actor: Actor,
  query: DeviceFilterQuery,
): Promise<ResponseOf<Calls['GET /api/maple/device/bulk/count']>> => ({
  count: await countDevices(db, await choiceOf(db, query, { scope: scopeOf(actor), now: now() })),
})

export const listBulks = (
  { db }: MapleContext,
  actor: Actor,
  query: QueryOf<Calls['GET /api/maple/device/bulk']>,
) => bulkList.read(db, query, scopeOf(actor))

/** @throws ProblemError `not_found`. */
export async function readBulk(
  { db }: MapleContext,
  actor: Actor,
  { id }: { id: string },
): Promise<DeviceBulk> {
  return (await findBulk(db, id, scopeOf(actor))) ?? missing(id)
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
    const asked = { ...turnOf(actor), scope: serviceId }
    await setJob(tx, id, await jobs.enqueue(tx, 'device.bulk', { id }, asked))
    await events.record(tx, actor, 'device_bulk.create', id, { after: { filter, change } })
    return (await findBulk(tx, id, everything)) ?? missing(id)
  })
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
