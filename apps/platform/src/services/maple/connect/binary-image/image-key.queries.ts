import { sql } from 'kysely'
import type { ImageKey } from '@grove/contract/maple/connect/binary-image'
import { inScope, type Scope } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'

const columns = sql`
  key.id, key.service_id as "serviceId", key.name, key.algorithm, key.key_hash as "keyHash",
  key.pem, key.created_by as "createdBy", key.created_at as "createdAt"`

export async function listKeys(db: MapleDb, scope: Scope, limit: number): Promise<ImageKey[]> {
  const { rows } = await sql<ImageKey>`
    select ${columns} from maple.image_key as key where ${inScope(scope, 'key.service_id')}
    order by created_at, id limit ${limit}`.execute(db)
  return rows
}

/** The keys of a service provider, or those without one. */
export async function keysOfService(db: MapleDb, serviceId: string | null): Promise<ImageKey[]> {
  const { rows } = await sql<ImageKey>`
    select ${columns} from maple.image_key as key
    where service_id is not distinct from ${serviceId} order by created_at, id`.execute(db)
  return rows
}

type NewKey = Pick<ImageKey, 'serviceId' | 'name' | 'algorithm' | 'keyHash' | 'pem' | 'createdBy'>

export async function insertKey(db: MapleDb, key: NewKey): Promise<ImageKey> {
  const { rows } = await sql<ImageKey>`
    insert into maple.image_key as key (service_id, name, algorithm, key_hash, pem, created_by)
    values (${key.serviceId}, ${key.name}, ${key.algorithm}, ${key.keyHash}, ${key.pem},
      ${key.createdBy})
    returning ${columns}`.execute(db)
  const [made] = rows
  if (!made) throw new Error('An insert without a condition answers its row.')
  return made
}

export async function findKey(db: MapleDb, id: string, scope: Scope) {
  const { rows } = await sql<ImageKey>`
    select ${columns} from maple.image_key as key
    where key.id = ${id} and ${inScope(scope, 'key.service_id')} for update`.execute(db)
  return rows[0]
}

export const deleteKey = (db: MapleDb, id: string) =>
  sql`delete from maple.image_key where id = ${id}`.execute(db)
