import { sql } from 'kysely'
import { lockElements } from './device.queries.ts'
import type { MapleDb } from '../../base/tables.ts'

/** The owner of a proof, and when it was created. */
export interface Proof {
  serviceId: string | null
  /** An earlier registration keeps its id until people settle who owns it. */
  since: string
}

/**
 * The elements of a device that gives way, locked with it and with those named in a claim; undefined
 * for one that does not: it is proven, of this service provider, older than the proof, or in use.
 * Only between service providers: those without one are settled by administrators, who see
 * everything.
 */
export async function lockProvisionalDevice(
  tx: MapleDb,
  id: string,
  { serviceId, since }: Proof,
  named: readonly string[],
): Promise<{ elements: string[] } | undefined> {
  const { rows: held } = await sql`
    select 1 from maple.device
    where id = ${id} and proven_at is null and service_id <> ${serviceId}
      and created_at > ${since}::timestamptz
    for update`.execute(tx)
  if (held.length === 0) return undefined
  const elements = await lockElements(tx, id, named)
  // A separate statement: the first may have waited for the activity that this one finds.
  const { rows: bare } = await sql`
    select 1 from maple.device as device
    where id = ${id} and tags = '{}' and attributes = '{}' and account_id is null
      and not exists (select from maple.device_credential where device_id = device.id)
      and not exists (select from maple.device_command where device_id = device.id)
      and not exists (select from maple.device_twin
        where device_id = device.id and desired_version > 0)
      and not exists (select from maple.rollout as rollout
        join maple.rollout_execution as execution on execution.rollout_id = rollout.id
        where rollout.service_id = device.service_id and execution.device_id = device.id)
      and not exists (select from maple.element as element
        where element.device_id = device.id and not (${isBare}))`.execute(tx)
  if (bare.length === 0) return undefined
  return { elements: elements.filter((each) => each.deviceId === id).map(({ cplc }) => cplc) }
}

/** For an element: it has neither proof nor activity. */
export const isBare = sql`
  element.proven_at is null and element.profile_id is null and not element.has_hsm
  and not exists (select from maple.key_set where cplc = element.cplc)
  and not exists (select from maple.key_rotation where cplc = element.cplc)
  and not exists (select from maple.software_card where cplc = element.cplc)
  and not exists (select from maple.card_operation where cplc = element.cplc)
  and not exists (select from maple.domain where cplc = element.cplc)
  and not exists (select from maple.element_history where cplc = element.cplc)`

/** Its elements stay with who registered them. */
export async function deleteProvisionalDevice(tx: MapleDb, id: string): Promise<void> {
  await sql`
    update maple.element set device_id = null, attached_at = null, revision = revision + 1,
      updated_at = now() where device_id = ${id}`.execute(tx)
  await sql`delete from maple.device where id = ${id}`.execute(tx)
}

/** Those of these elements that give way, locked: the same rules, and in no device. */
export async function lockProvisionalElements(
  tx: MapleDb,
  cplcs: readonly string[],
  { serviceId, since }: Proof,
): Promise<{ cplc: string; state: string; createdAt: string }[]> {
  const { rows: held } = await sql<{ cplc: string }>`
    select cplc from maple.element
    where cplc = any(${cplcs}::text[]) and proven_at is null and device_id is null
      and service_id <> ${serviceId} and created_at > ${since}::timestamptz
    order by cplc for update`.execute(tx)
  const { rows } = await sql<{ cplc: string; state: string; createdAt: string }>`
    select cplc, state, created_at as "createdAt" from maple.element as element
    where cplc = any(${held.map(({ cplc }) => cplc)}::text[]) and ${isBare}
    order by cplc`.execute(tx)
  return rows
}

export async function deleteProvisionalElements(
  tx: MapleDb,
  cplcs: readonly string[],
): Promise<void> {
  await sql`delete from maple.element where cplc = any(${cplcs}::text[])`.execute(tx)
}

/**
 * Counts what a service provider takes over today, and locks the count until the end of the
 * transaction. False at the daily limit.
 */
export async function countTaken(
  tx: MapleDb,
  { serviceId, count, most }: { serviceId: string | null; count: number; most: number },
): Promise<boolean> {
  const { rows } = await sql`
    insert into maple.take_over as known (service_id, day, count)
    values (${serviceId}, (now() at time zone 'UTC')::date, ${count})
    on conflict (service_id) do update set day = excluded.day,
      count = excluded.count + case when known.day = excluded.day then known.count else 0 end
    where known.day <> excluded.day or known.count + excluded.count <= ${most}
    returning 1`.execute(tx)
  return rows.length > 0
}

/** What of this is of others than a service provider. */
export async function heldByOthers(
  db: MapleDb,
  given: { id: string; elements: readonly string[]; serviceId: string | null },
): Promise<{ devices: string[]; elements: string[] }> {
  const { rows } = await sql<{ kind: 'devices' | 'elements'; subject: string }>`
    select 'devices' as kind, id as subject from maple.device
    where id = ${given.id} and service_id is distinct from ${given.serviceId}
    union all
    select 'elements', cplc from maple.element
    where cplc = any(${given.elements}::text[])
      and service_id is distinct from ${given.serviceId}`.execute(db)
  const of = (kind: string) => rows.filter((row) => row.kind === kind).map(({ subject }) => subject)
  return { devices: of('devices'), elements: of('elements') }
}

/**
 * Whether a service provider was notified in the last day that another owner has a device or an
 * element.
 */
export async function hasDispute(
  db: MapleDb,
  { serviceId, action, subject }: { serviceId: string | null; action: string; subject: string },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from maple.event
    where subject = ${subject} and action = ${action} and at > now() - interval '1 day'
      and service_id is not distinct from ${serviceId} limit 1`.execute(db)
  return rows.length > 0
}

/** From now on its id cannot be taken over. */
export async function proveDevice(tx: MapleDb, id: string): Promise<void> {
  await sql`
    update maple.device set proven_at = now() where id = ${id} and proven_at is null`.execute(tx)
}

/** From now on their CPLCs cannot be taken over. */
export async function proveElements(db: MapleDb, cplcs: readonly string[]): Promise<void> {
  await sql`
    update maple.element set proven_at = now()
    where cplc = any(${cplcs}::text[]) and proven_at is null`.execute(db)
}
