import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { DeviceBulk } from '@grove/contract/maple/fleet/device-bulk'
import type { QueryOf } from '@grove/contract/call'
import { defineBatch } from '../../../../core/batch/define-batch.ts'
import { defineResults } from '../../../../core/batch/define-results.ts'
import { scopeOfService, type Scope } from '../../../../core/scope.ts'
import { deviceColumns, type DeviceFacts } from '../device/device.queries.ts'
import { everyDeviceOf, type Choice } from '../device/every-device.queries.ts'
import type { MapleDb } from '../../base/tables.ts'

export async function countDevices(db: MapleDb, choice: Choice): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) ${everyDeviceOf(choice)}`.execute(db)
  return rows[0]?.count ?? 0
}

export const {
  list: bulkList,
  find: findBulk,
  setJob,
} = defineBatch<DeviceBulk, QueryOf<Calls['GET /api/maple/device/bulk']>>({
  name: 'device bulk',
  table: 'maple.device_bulk',
  sorting: { by: ['createdAt'], default: 'createdAt', order: 'desc' },
  columns: sql`
    batch.filter, batch.change, batch.job_id as "jobId", batch.has_results as "hasResults"`,
  sums: ['changed', 'unchanged', 'refused'],
})

export const deviceResults = defineResults({
  batch: 'maple.device_bulk',
  table: 'maple.device_bulk_item',
  of: 'bulk_id',
  key: 'device_id',
  type: 'text',
})

/** The service provider that a change is limited to. */
export async function readScope(db: MapleDb, id: string): Promise<Scope | undefined> {
  const { rows } = await sql<{ serviceId: string | null }>`
    select service_id as "serviceId" from maple.device_bulk where id = ${id}`.execute(db)
  return rows[0] && scopeOfService(rows[0].serviceId)
}

export async function insertBulk(
  db: MapleDb,
  given: { filter: object; change: object; createdBy: string | null; serviceId: string | null },
): Promise<string> {
  const { filter, change, createdBy, serviceId } = given
  const { rows } = await sql<{ id: string }>`
    insert into maple.device_bulk (filter, change, created_by, service_id)
    values (${JSON.stringify(filter)}, ${JSON.stringify(change)}, ${createdBy}, ${serviceId})
    returning id
  `.execute(db)
  return rows[0]?.id ?? ''
}

/** Writes down the devices of the filter; a second time it changes nothing. */
export async function writeItems(tx: MapleDb, id: string, choice: Choice): Promise<void> {
  await sql`set local statement_timeout = 0`.execute(tx)
  const { rows } = await sql`
    select 1 from maple.device_bulk where id = ${id} and total is null for update`.execute(tx)
  if (rows.length === 0) return
  await sql`
    insert into maple.device_bulk_item (bulk_id, device_id)
    select ${id}, device.id ${everyDeviceOf(choice)}`.execute(tx)
  await sql`
    update maple.device_bulk set total = (
      select count(*) from maple.device_bulk_item where bulk_id = ${id}
    ) where id = ${id}`.execute(tx)
}

/** The next unprocessed devices, locked for the transaction in the order of their ids. */
export async function lockNext(tx: MapleDb, id: string, limit: number): Promise<DeviceFacts[]> {
  const held = await sql<{ id: string }>`
    select id from maple.device where id = any(array(${deviceResults.left(id, limit)}))
    order by id for update
  `.execute(tx)
  // A second statement: the first may have waited, and would return the state from before the wait.
  const { rows } = await sql<DeviceFacts>`
    select ${deviceColumns} from maple.device as device
    where device.id = any(${held.rows.map((row) => row.id)}) order by device.id
  `.execute(tx)
  return rows
}

/** Stores the states, service providers, tags and attributes of many devices. */
export async function changeDevices(tx: MapleDb, devices: readonly DeviceFacts[]): Promise<void> {
  await sql`
    update maple.device as device
    set state = given.state, service_id = given.service_id, attributes = given.attributes,
      tags = array(select jsonb_array_elements_text(given.tags)),
      -- Whoever moves a device has settled whose it is.
      proven_at = case when device.service_id is distinct from given.service_id
        then coalesce(device.proven_at, now()) else device.proven_at end,
      revision = revision + 1, updated_at = now()
    from unnest(
      ${devices.map(({ id }) => id)}::text[],
      ${devices.map(({ state }) => state)}::maple.device_state[],
      ${devices.map(({ serviceId }) => serviceId)}::text[],
      ${devices.map(({ attributes }) => JSON.stringify(attributes))}::jsonb[],
      ${devices.map(({ tags }) => JSON.stringify(tags))}::jsonb[]
    ) as given (id, state, service_id, attributes, tags)
    where device.id = given.id
  `.execute(tx)
}

const rowsAtOnce = 10_000

/** Deletes some results that are older than a moment; false when there are none. */
export async function deleteOldResults(db: MapleDb, before: string): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    select bulk.id from maple.device_bulk as bulk left join maple.job as job on job.id = bulk.job_id
    where bulk.has_results and bulk.created_at < ${before}
      and coalesce(job.state, 'completed') not in ('queued', 'running')
    order by bulk.created_at limit 1`.execute(db)
  const [bulk] = rows
  if (!bulk) return false
  await sql`
    delete from maple.device_bulk_item where ctid = any(array(
      select ctid from maple.device_bulk_item where bulk_id = ${bulk.id} limit ${sql.lit(rowsAtOnce)}))
  `.execute(db)
  await sql`
    update maple.device_bulk set has_results = false where id = ${bulk.id}
      and not exists (select from maple.device_bulk_item where bulk_id = ${bulk.id})`.execute(db)
  return true
}
