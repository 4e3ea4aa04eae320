import { sql } from 'kysely'
import type { DeviceCredential } from '@grove/contract/maple/connect/device-connection'
import type { DeviceState } from '@grove/contract/maple/fleet/device.rules'
import { inScope, type Scope } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'

const selected = sql`
  credential.id, credential.device_id as "deviceId", credential.created_by as "createdBy",
  credential.created_at as "createdAt", credential.used_at as "usedAt",
  credential.is_at_broker as "isAtBroker"`

/** Whether there is such a device in the scope. */
export async function hasDevice(db: MapleDb, id: string, scope: Scope): Promise<boolean> {
  const { rows } = await sql`
    select 1 from maple.device as device where id = ${id} and ${inScope(scope, 'device.service_id')}`.execute(
    db,
  )
  return rows.length > 0
}

type Connectable = { serviceId: string | null; state: DeviceState }

const connectable = (id: string, scope: Scope) => sql<Connectable>`
  select service_id as "serviceId", state from maple.device as device
  where id = ${id} and ${inScope(scope, 'device.service_id')}`

/** The service provider and state of a device in the scope. */
export async function findConnectable(
  db: MapleDb,
  id: string,
  scope: Scope,
): Promise<Connectable | undefined> {
  const { rows } = await connectable(id, scope).execute(db)
  return rows[0]
}

/** The same, for a transaction that stores data of the device: it cannot be deleted meanwhile. */
export async function shareConnectable(
  tx: MapleDb,
  id: string,
  scope: Scope,
): Promise<Connectable | undefined> {
  const { rows } = await sql<Connectable>`${connectable(id, scope)} for key share`.execute(tx)
  return rows[0]
}

export async function listCredentials(db: MapleDb, deviceId: string): Promise<DeviceCredential[]> {
  const { rows } = await sql<DeviceCredential>`
    select ${selected} from maple.device_credential as credential
    where device_id = ${deviceId} order by created_at, id`.execute(db)
  return rows
}

export interface NewCredential {
  isAtBroker: boolean
  id: string
  deviceId: string
  secretHash: string
  createdBy: string | null
  claimCodeId: string | null
}

export async function insertCredential(
  db: MapleDb,
  { id, deviceId, secretHash, createdBy, claimCodeId, isAtBroker }: NewCredential,
): Promise<DeviceCredential> {
  const { rows } = await sql<DeviceCredential>`
    insert into maple.device_credential as credential
      (id, device_id, secret_hash, created_by, claim_code_id, is_at_broker)
    values (${id}, ${deviceId}, ${secretHash}, ${createdBy}, ${claimCodeId},
      ${isAtBroker})
    returning ${selected}`.execute(db)
  const [made] = rows
  if (!made) throw new Error('A secret of a device was not stored.')
  return made
}

/** Undefined unless it is of a device in the scope. */
export async function deleteCredential(
  db: MapleDb,
  id: string,
  scope: Scope,
): Promise<DeviceCredential | undefined> {
  const { rows } = await sql<DeviceCredential>`
    delete from maple.device_credential as credential using maple.device as device
    where credential.id = ${id} and device.id = credential.device_id and ${inScope(scope, 'device.service_id')}
    returning ${selected}`.execute(db)
  return rows[0]
}

/** The id of this secret, if the device got it with this claim code. */
export async function findClaimed(
  db: MapleDb,
  {
    deviceId,
    secretHash,
    claimCodeId,
  }: Pick<NewCredential, 'deviceId' | 'secretHash' | 'claimCodeId'>,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from maple.device_credential
    where secret_hash = ${secretHash} and device_id = ${deviceId}
      and claim_code_id = ${claimCodeId}`.execute(db)
  return rows[0]?.id
}
