import { sql } from 'kysely'
import type { DeviceView } from '@grove/contract/maple/fleet/device-view'
import { nameKey } from '../../../../core/database/name-key.ts'
import type { MapleDb } from '../../base/tables.ts'

const columns = sql`id, name, search, revision, created_at as "createdAt", updated_at as "updatedAt"`

export type ViewValues = Pick<DeviceView, 'name' | 'search'>

export async function readViews(db: MapleDb, userId: string): Promise<DeviceView[]> {
  const { rows } = await sql<DeviceView>`
    select ${columns} from maple.device_view where user_id = ${userId} order by name_key
  `.execute(db)
  return rows
}

/** One's own view, locked for the transaction. */
export async function lockView(db: MapleDb, userId: string, id: string) {
  const { rows } = await sql<DeviceView>`
    select ${columns} from maple.device_view
    where id = ${id} and user_id = ${userId} for update
  `.execute(db)
  return rows[0]
}

export async function insertView(db: MapleDb, userId: string, { name, search }: ViewValues) {
  const { rows } = await sql<DeviceView>`
    insert into maple.device_view (user_id, name, name_key, search)
    values (${userId}, ${name}, ${nameKey(name)}, ${search})
    on conflict (user_id, name_key) do nothing returning ${columns}
  `.execute(db)
  return rows[0]
}

export async function changeView(db: MapleDb, id: string, { name, search }: ViewValues) {
  const { rows } = await sql<DeviceView>`
    update maple.device_view
    set name = ${name}, name_key = ${nameKey(name)}, search = ${search},
      revision = revision + 1, updated_at = now()
    where id = ${id} returning ${columns}
  `.execute(db)
  return rows[0]
}

export async function deleteView(db: MapleDb, id: string): Promise<void> {
  await sql`delete from maple.device_view where id = ${id}`.execute(db)
}
