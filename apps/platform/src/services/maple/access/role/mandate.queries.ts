import { sql } from 'kysely'
import type { MapleDb } from '../../base/tables.ts'

export interface Holder {
  roles: readonly string[]
  serviceId: string | null
  /** In milliseconds since the epoch. */
  expiresAt: number | null
  isExpired: boolean
  /** Its service provider is suspended. */
  isSuspended: boolean
}

/** What the rights of a user's account depend on, by its primary key. */
export async function readHolder(db: MapleDb, userId: string): Promise<Holder | undefined> {
  const { rows } = await sql<Holder>`
    select account.roles, account.service_id as "serviceId",
      extract(epoch from account.expires_at)::float8 * 1000 as "expiresAt",
      account.expires_at <= now() as "isExpired",
      service.state is not distinct from 'suspended' as "isSuspended"
    from maple.account as account left join maple.service as service on service.id = service_id
    where account.id = ${userId}::uuid
  `.execute(db)
  return rows[0]
}
