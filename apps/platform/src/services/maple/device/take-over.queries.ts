import { sql } from 'kysely'
import type { MapleDb } from '../tables.ts'

interface Provisional {
  before: { id: string; name: string; state: string }
  elements: string[]
}

/**
 * Held for the transaction; undefined for one that is proven, or of this service provider, or that
 * has a secret or commands: a proof that anybody can make for themselves must not destroy work. Between
 * service providers alone: what is of none is settled by administrators, who see everything.
 */
export async function lockProvisionalDevice(
  tx: MapleDb,
  id: string,
  serviceId: string | null,
): Promise<Provisional | undefined> {
  const { rows } = await sql<Provisional['before']>`
    select id, name, state from maple.device as device
    where id = ${id} and proven_at is null and service_id <> ${serviceId}
      and not exists (select from maple.device_credential where device_id = device.id)
      and not exists (select from maple.device_command where device_id = device.id)
    for update`.execute(tx)
  const [before] = rows
  if (!before) return undefined
  const { rows: elements } = await sql<{ cplc: string }>`
    select cplc from maple.element where device_id = ${id} order by cplc for update`.execute(tx)
  return { before, elements: elements.map(({ cplc }) => cplc) }
}

/** Its elements stay with who registered them; its tags, attributes and states go. */
export async function deleteProvisionalDevice(tx: MapleDb, id: string): Promise<void> {
  await sql`
    update maple.element set device_id = null, attached_at = null, revision = revision + 1,
      updated_at = now() where device_id = ${id}`.execute(tx)
  // What filters read of a device follows its tags and attributes, not its row.
  await sql`update maple.device set tags = '{}', attributes = '{}' where id = ${id}`.execute(tx)
  await sql`delete from maple.device where id = ${id}`.execute(tx)
}

/**
 * Those of these elements that nobody proved and that another service provider has, held. None with
 * keys, of a software card, or in a device: what cannot be made again is not taken.
 */
export async function lockProvisionalElements(
  tx: MapleDb,
  cplcs: readonly string[],
  serviceId: string | null,
): Promise<{ cplc: string; deviceId: string | null }[]> {
  const { rows } = await sql<{ cplc: string; deviceId: string | null }>`
    select cplc, device_id as "deviceId" from maple.element as element
    where cplc = any(${cplcs}::text[]) and proven_at is null
      and service_id <> ${serviceId} and device_id is null
      and not exists (select from maple.key_set where cplc = element.cplc)
      and not exists (select from maple.key_rotation where cplc = element.cplc)
      and not exists (select from maple.software_card where cplc = element.cplc)
    order by cplc for update`.execute(tx)
  return rows
}

export async function deleteProvisionalElements(
  tx: MapleDb,
  cplcs: readonly string[],
): Promise<void> {
  await sql`delete from maple.element where cplc = any(${cplcs}::text[])`.execute(tx)
}

/** From now on nobody takes its id. */
export async function proveDevice(tx: MapleDb, id: string): Promise<void> {
  await sql`
    update maple.device set proven_at = now() where id = ${id} and proven_at is null`.execute(tx)
}

/** From now on nobody takes their CPLCs. */
export async function proveElements(db: MapleDb, cplcs: readonly string[]): Promise<void> {
  await sql`
    update maple.element set proven_at = now()
    where cplc = any(${cplcs}::text[]) and proven_at is null`.execute(db)
}
