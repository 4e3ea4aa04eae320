import { sql } from 'kysely'
import type { Device } from '@grove/contract/maple/fleet/device'
import { inScope, type Scope } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'
import { nameKey } from '../../../../core/database/name-key.ts'

/** A device as it is stored; what may be done to it depends on the reader. */
export type DeviceFacts = Omit<Device, 'rights'>

/** A device's columns and elements under the names of the contract. */
export const deviceColumns = sql<DeviceFacts>`
  device.id, device.name, device.type, device.state, device.revision,
  device.inner_id as "innerId", device.account_id as "accountId",
  device.service_id as "serviceId", device.product_id as "productId", device.tags, device.attributes,
  -- The device itself is written when it comes and goes; what it is heard in between is beside it.
  nullif(greatest(device.last_seen_at, (
    select seen_at from maple.device_presence where device_id = device.id
  )), '0001-01-01 00:00:00+00') as "lastSeenAt",
  device.created_at as "createdAt", device.updated_at as "updatedAt",
  (
    select coalesce(json_agg(json_build_object(
      'cplc', cplc,
      'attachedAt', to_char(attached_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
    ) order by attached_at, cplc), '[]')
    from maple.element where device_id = device.id
  ) as elements
`

export async function findDevice(db: MapleDb, id: string): Promise<DeviceFacts | undefined> {
  const { rows } = await sql<DeviceFacts>`
    select ${deviceColumns} from maple.device as device where device.id = ${id}
  `.execute(db)
  return rows[0]
}

/**
 * Locks the device, and so its elements, for the transaction; those of other scopes are invisible.
 */
export async function lockDevice(
  db: MapleDb,
  id: string,
  scope: Scope,
): Promise<DeviceFacts | undefined> {
  const isOfScope = inScope(scope, 'service_id')
  const { rows } =
    await sql`select 1 from maple.device where id = ${id} and ${isOfScope} for update`.execute(db)
  return rows.length > 0 ? findDevice(db, id) : undefined
}

/** The id of the device with an inner id, locked for the transaction. */
export const lockWearable = (db: MapleDb, innerId: string) =>
  db
    .selectFrom('maple.device')
    .select(['id', 'account_id as accountId'])
    .where('inner_id', '=', innerId)
    .forUpdate()
    .executeTakeFirst()

export async function hasAccount(db: MapleDb, id: string, scope: Scope): Promise<boolean> {
  const isOfScope = inScope(scope, 'service_id')
  const { rows } = await sql`
    select 1 from maple.account where id = ${id} and ${isOfScope}`.execute(db)
  return rows.length > 0
}

/** Whether the service provider has the product, which stays for the transaction. */
export async function hasProduct(
  db: MapleDb,
  id: string,
  serviceId: string | null,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from maple.product
    where id = ${id} and service_id is not distinct from ${serviceId} for key share`.execute(db)
  return rows.length > 0
}

/** The fields of a device that people set, besides its elements. */
export type DeviceValues = Pick<
  Device,
  | 'name'
  | 'type'
  | 'state'
  | 'innerId'
  | 'accountId'
  | 'serviceId'
  | 'productId'
  | 'tags'
  | 'attributes'
>

/** False if the id is taken. */
export async function insertDevice(
  db: MapleDb,
  id: string,
  { name, type, state, innerId, accountId, serviceId, productId, tags, attributes }: DeviceValues,
): Promise<boolean> {
  const row = await db
    .insertInto('maple.device')
    .values({
      id,
      name,
      name_key: nameKey(name),
      type,
      state,
      inner_id: innerId,
      account_id: accountId,
      service_id: serviceId,
      product_id: productId,
      tags,
      attributes: JSON.stringify(attributes),
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function changeDevice(
  db: MapleDb,
  id: string,
  change: Partial<DeviceValues>,
): Promise<void> {
  const { name, type, state, innerId, accountId, serviceId, productId, tags, attributes } = change
  await db
    .updateTable('maple.device')
    .set((set) => ({
      ...(name !== undefined && { name, name_key: nameKey(name) }),
      ...(type !== undefined && { type }),
      ...(state !== undefined && { state }),
      ...(innerId !== undefined && { inner_id: innerId }),
      ...(accountId !== undefined && { account_id: accountId }),
      ...(serviceId !== undefined && {
        service_id: serviceId,
        // Moving a device settles its ownership.
        proven_at: sql<string | null>`case when service_id is distinct from ${serviceId}
          then coalesce(proven_at, now()) else proven_at end`,
      }),
      ...(productId !== undefined && { product_id: productId }),
      ...(tags !== undefined && { tags }),
      ...(attributes !== undefined && { attributes: JSON.stringify(attributes) }),
      revision: set('revision', '+', 1),
      updated_at: sql<string>`now()`,
    }))
    .where('id', '=', id)
    .execute()
}

/** The owners of these elements and of the device's own, locked in one order to avoid deadlocks. */
export async function lockElements(db: MapleDb, deviceId: string, cplcs: readonly string[]) {
  return db
    .selectFrom('maple.element')
    .select(['cplc', 'device_id as deviceId', 'service_id as serviceId'])
    .where((where) =>
      where.or([where('device_id', '=', deviceId), where('cplc', '=', sql<string>`any(${cplcs})`)]),
    )
    .orderBy('cplc')
    .forUpdate()
    .execute()
}

/** Returns those that were attached: elements without a device, and of no other scope. */
export async function attachElements(
  db: MapleDb,
  deviceId: string,
  cplcs: readonly string[],
  scope: Scope,
): Promise<string[]> {
  const isOfScope = inScope(scope, 'element.service_id')
  const { rows } = await sql<{ cplc: string }>`
    insert into maple.element as element (cplc, device_id, attached_at)
    select cplc, ${deviceId}, now() from unnest(${cplcs}::text[]) as cplc
    order by cplc collate "C"
    on conflict (cplc) do update
      set device_id = excluded.device_id, attached_at = excluded.attached_at,
        revision = element.revision + 1, updated_at = now()
      where element.device_id is null and ${isOfScope}
    returning cplc
  `.execute(db)
  return rows.map((row) => row.cplc)
}

export async function detachElements(db: MapleDb, deviceId: string, cplcs: readonly string[]) {
  const detached = await db
    .updateTable('maple.element')
    .set((set) => ({
      device_id: null,
      attached_at: null,
      revision: set('revision', '+', 1),
      updated_at: sql<string>`now()`,
    }))
    .where('device_id', '=', deviceId)
    .where('cplc', '=', sql<string>`any(${cplcs})`)
    .returning('cplc')
    .execute()
  return detached.length
}

export async function findOwner(db: MapleDb, cplc: string): Promise<string | null> {
  const row = await db
    .selectFrom('maple.element')
    .select('device_id')
    .where('cplc', '=', cplc)
    .executeTakeFirst()
  return row?.device_id ?? null
}
