import { sql } from 'kysely'
import type { ServiceState } from '@grove/contract/maple/access/service.rules'
import type { MapleDb } from '../../base/tables.ts'

export interface StageService {
  id: string
  state: ServiceState
}

export async function findStageService(
  db: MapleDb,
  providerId: string,
): Promise<StageService | undefined> {
  const { rows } = await sql<StageService>`
    select id, state from maple.service where provider_id = ${providerId}`.execute(db)
  return rows[0]
}

/** With the provider's id, which is unique; false if it was added concurrently. */
export async function insertStageService(
  tx: MapleDb,
  { id, name, nameKey }: { id: string; name: string; nameKey: string },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    insert into maple.service (id, name, name_key, provider_id)
    values (${id}, ${name}, ${nameKey}, ${id}) on conflict do nothing`.execute(tx)
  return numAffectedRows === 1n
}
