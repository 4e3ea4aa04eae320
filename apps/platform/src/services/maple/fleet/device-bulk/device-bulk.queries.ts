import { sql, type RawBuilder } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { DeviceBulk } from '@grove/contract/maple/fleet/device-bulk'
import { bulkSorting } from '@grove/contract/maple/fleet/device-bulk.rules'
import type { QueryOf } from '@grove/contract/call'
import { defineBatch } from '../../../../core/batch/define-batch.ts'
import { defineResults } from '../../../../core/batch/define-results.ts'
import { scopeOfService, type Scope } from '../../../../core/scope.ts'
import { deviceColumns, type DeviceFacts } from '../device/device.queries.ts'
import { isBare } from '../device/take-over.queries.ts'
import { everyDeviceOf, type Choice } from '../device/every-device.queries.ts'
import { nameKey } from '../../../../core/database/name-key.ts'
import type { MapleDb } from '../../base/tables.ts'
import type { KeptChanges } from './kept-changes.ts'

export async function countDevices(db: MapleDb, choice: Choice): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) ${everyDeviceOf(choice)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** A bulk change as stored; the actions on it depend on the reader. */
export type BulkFacts = Omit<DeviceBulk, 'rights'> & {
  /** Whether the former values of its devices are kept. */
  keepsValues: boolean
}

/** The newest revert of a bulk change or of an import. */
export const latestRevert = (
  column: 'reverts_bulk' | 'reverts_import',
  id: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`(
  select json_build_object('id', later.id, 'refused', later.refused,
    'state', case when job.state in ('queued', 'running', 'failed', 'cancelled')
      then job.state else 'completed' end,
    'isReverted', exists (
      select from maple.device_bulk as last where last.reverts_bulk = later.id and last.changed > 0))
  from maple.device_bulk as later left join maple.job as job on job.id = later.job_id
  where later.${sql.ref(column)} = ${id} order by later.created_at desc limit 1
) as "revertedBy"`

export const {
  list: bulkList,
  find: findBulk,
  lock: lockBulk,
  setJob,
} = defineBatch<BulkFacts, QueryOf<Calls['GET /api/maple/device/bulk']>>({
  table: 'maple.device_bulk',
  list: 'device bulk',
  sorting: bulkSorting,
  columns: sql`
    batch.filter, batch.change, batch.job_id as "jobId", batch.has_results as "hasResults",
    batch.has_results and batch.keeps_values as "keepsValues", batch.overwrites,
    batch.reverts_bulk as "revertsBulkId", batch.reverts_import as "revertsImportId",
    ${latestRevert('reverts_bulk', sql`batch.id`)}`,
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

interface NewBulk {
  filter: object
  change: object
  createdBy: string | null
  serviceId: string | null
  /** What it reverts. */
  reverts?: { of: 'bulk' | 'import'; id: string; overwrites: boolean }
}

export async function insertBulk(
  db: MapleDb,
  { filter, change, createdBy, serviceId, reverts }: NewBulk,
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into maple.device_bulk
      (filter, change, created_by, service_id, reverts_bulk, reverts_import, overwrites)
    values (${JSON.stringify(filter)}, ${JSON.stringify(change)}, ${createdBy}, ${serviceId},
      ${reverts?.of === 'bulk' ? reverts.id : null},
      ${reverts?.of === 'import' ? reverts.id : null}, ${reverts?.overwrites ?? false})
    returning id
  `.execute(db)
  return rows[0]?.id ?? ''
}

/** Writes down the devices of the filter; a second time it changes nothing. */
export const writeItems = (tx: MapleDb, id: string, choice: Choice): Promise<void> =>
  writeOnce(tx, id, sql`select ${id}::uuid, device.id ${everyDeviceOf(choice)}`)

/** Stores the list of devices that a change or an import touched. */
export const writeTouched = (tx: MapleDb, id: string, of: Touched): Promise<void> =>
  writeOnce(tx, id, sql`select ${id}::uuid, item.device_id ${touchedBy(of)}`)

async function writeOnce(tx: MapleDb, id: string, found: RawBuilder<unknown>): Promise<void> {
  await sql`set local statement_timeout = 0`.execute(tx)
  const { rows } = await sql`
    select 1 from maple.device_bulk where id = ${id} and total is null for update`.execute(tx)
  if (rows.length === 0) return
  await sql`insert into maple.device_bulk_item (bulk_id, device_id) ${found}`.execute(tx)
  await sql`
    update maple.device_bulk set total = (
      select count(*) from maple.device_bulk_item where bulk_id = ${id}
    ) where id = ${id}`.execute(tx)
}

/** The next unprocessed devices: their ids, and those that still exist, locked in that order. */
export async function lockNext(
  tx: MapleDb,
  { id, jobId, limit }: { id: string; jobId: string | null; limit: number },
): Promise<{ ids: string[]; devices: DeviceFacts[] }> {
  // Serialises the runs of a change: a cancelled one may still be processing its last batch.
  const { rows: own } = await sql`
    select from maple.device_bulk
    where id = ${id} and job_id is not distinct from ${jobId} for update`.execute(tx)
  if (own.length === 0) return { ids: [], devices: [] }
  const { rows: left } = await deviceResults.left(id, limit).execute(tx)
  const ids = left.map((row) => row.id)
  await sql`select 1 from maple.device where id = any(${ids}) order by id for update`.execute(tx)
  // A second statement: the first may have waited, and would return the state from before the wait.
  return { ids, devices: await readDevices(tx, ids) }
}

export async function readDevices(db: MapleDb, ids: readonly string[]): Promise<DeviceFacts[]> {
  const { rows } = await sql<DeviceFacts>`
    select ${deviceColumns} from maple.device as device
    where device.id = any(${ids}) order by device.id`.execute(db)
  return rows
}

/** Stores the values of many devices, and their elements and accounts. */
export async function changeDevices(tx: MapleDb, devices: readonly DeviceFacts[]): Promise<void> {
  await sql`
    update maple.device as device
    set name = given.name, name_key = given.name_key, type = given.type, state = given.state,
      inner_id = given.inner_id, service_id = given.service_id, product_id = given.product_id,
      attributes = given.attributes,
      tags = array(select jsonb_array_elements_text(given.tags)),
      -- Whoever moves a device has settled whose it is.
      proven_at = case when device.service_id is distinct from given.service_id
        then coalesce(device.proven_at, now()) else device.proven_at end,
      revision = revision + 1, updated_at = now()
    from unnest(
      ${devices.map(({ id }) => id)}::text[],
      ${devices.map(({ name }) => name)}::text[],
      ${devices.map(({ name }) => nameKey(name))}::text[],
      ${devices.map(({ type }) => type)}::maple.device_type[],
      ${devices.map(({ state }) => state)}::maple.device_state[],
      ${devices.map(({ innerId }) => innerId)}::text[],
      ${devices.map(({ serviceId }) => serviceId)}::text[],
      ${devices.map(({ productId }) => productId)}::uuid[],
      ${devices.map(({ attributes }) => JSON.stringify(attributes))}::jsonb[],
      ${devices.map(({ tags }) => JSON.stringify(tags))}::jsonb[]
    ) as given (id, name, name_key, type, state, inner_id, service_id, product_id, attributes, tags)
    where device.id = given.id
  `.execute(tx)
}

interface KeptItem {
  id: string
  changes: KeptChanges
  /** The revision after the change. */
  revision: number
}

/** Stores the values that a change found and left on its devices. */
export async function keepChanges(
  tx: MapleDb,
  id: string,
  items: readonly KeptItem[],
): Promise<void> {
  await sql`
    update maple.device_bulk_item as item
    set changes = given.changes, revision = given.revision
    from unnest(
      ${items.map((each) => each.id)}::text[],
      ${items.map(({ changes }) => JSON.stringify(changes))}::jsonb[],
      ${items.map(({ revision }) => revision)}::integer[]
    ) as given (id, changes, revision)
    where item.bulk_id = ${id} and item.device_id = given.id`.execute(tx)
}

/** A bulk change or an import, whose effects a revert undoes. */
export interface Touched {
  of: 'bulk' | 'import'
  id: string
}

const touchedBy = ({ of, id }: Touched) =>
  of === 'bulk'
    ? sql`from maple.device_bulk_item as item where item.bulk_id = ${id} and item.result = 'changed'`
    : sql`from maple.device_import_item as item where item.import_id = ${id}`

/** What happened to a device; without changes it was created. */
export type Kept = Omit<KeptItem, 'changes'> & { changes: KeptChanges | null }

const keptColumns = sql`item.device_id as id, item.changes, item.revision`

export async function readKept(
  db: MapleDb,
  of: Touched,
  ids: readonly string[],
): Promise<Map<string, Kept>> {
  const { rows } = await sql<Kept>`
    select ${keptColumns} ${touchedBy(of)} and item.device_id = any(${ids})
      and item.revision is not null`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

/** The next devices that a change touched, by id, each with its current revision. */
export async function readTouched(
  db: MapleDb,
  of: Touched,
  { after, limit }: { after: string; limit: number },
): Promise<(Kept & { now: number | null; serviceId: string | null })[]> {
  const { rows } = await sql<Kept & { now: number | null; serviceId: string | null }>`
    select page.*, device.revision as now, device.service_id as "serviceId"
    from (
      select ${keptColumns} ${touchedBy(of)} and item.device_id > ${after}
      order by item.device_id limit ${sql.lit(limit)}
    ) as page left join maple.device as device on device.id = page.id
    order by page.id`.execute(db)
  return rows
}

/** Those of these service providers that exist and are not suspended. */
export async function findOpenServices(
  tx: MapleDb,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from maple.service where id = any(${ids}::text[]) and state = 'active'
    order by id for key share`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

/** Those of these products that exist, each with its service provider; they are locked. */
export async function findProducts(
  tx: MapleDb,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const { rows } = await sql<{ id: string; serviceId: string | null }>`
    select id, service_id as "serviceId" from maple.product where id = any(${ids}::uuid[])
    order by id for key share`.execute(tx)
  return new Map(rows.map(({ id, serviceId }) => [id, serviceId]))
}

/** The device with each of these inner ids. */
export async function findInnerIds(
  tx: MapleDb,
  innerIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ innerId: string; id: string }>`
    select inner_id as "innerId", id from maple.device where inner_id = any(${innerIds}::text[])
  `.execute(tx)
  return new Map(rows.map(({ innerId, id }) => [innerId, id]))
}

/** Those of these devices that were never used and never connected. */
export async function findUnused(
  db: MapleDb,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from maple.device as device
    where id = any(${ids}::text[]) and proven_at is null and account_id is null
      and last_seen_at = '0001-01-01 00:00:00+00'
      and not exists (select from maple.device_presence where device_id = device.id)
      and not exists (select from maple.device_credential where device_id = device.id)
      and not exists (select from maple.device_command where device_id = device.id)
      and not exists (select from maple.device_twin where device_id = device.id)
      and not exists (select from maple.device_session where device_id = device.id)
      and not exists (select from maple.device_message where device_id = device.id)
      and not exists (select from maple.device_group_member where device_id = device.id)
      and not exists (select from maple.rollout_execution
        where device_id = device.id and state = 'queued' and attempts > 0)
  `.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/**
 * Elements that devices lose, locked; `isNew` ones were registered when they were attached, and are
 * unused.
 */
export async function lockGivenUp(
  tx: MapleDb,
  { devices, cplcs }: { devices: readonly string[]; cplcs: readonly string[] },
): Promise<{ cplc: string; deviceId: string; isNew: boolean }[]> {
  const { rows } = await sql<{ cplc: string; deviceId: string; isNew: boolean }>`
    with held as materialized (
      select cplc from maple.element
      where device_id = any(${devices}::text[]) or (cplc = any(${cplcs}::text[]) and device_id is not null)
      order by cplc for update
    )
    select cplc, device_id as "deviceId", created_at = attached_at and ${isBare} as "isNew"
    from maple.element as element where cplc in (select cplc from held) order by cplc`.execute(tx)
  return rows
}

export async function giveUpElements(
  tx: MapleDb,
  { removed, detached }: { removed: readonly string[]; detached: readonly string[] },
): Promise<void> {
  await sql`delete from maple.element where cplc = any(${removed}::text[])`.execute(tx)
  await sql`
    update maple.element set device_id = null, attached_at = null, revision = revision + 1,
      updated_at = now() where cplc = any(${detached}::text[])`.execute(tx)
}

export const deleteDevices = (tx: MapleDb, ids: readonly string[]) =>
  sql`delete from maple.device where id = any(${ids}::text[])`.execute(tx)

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
