import { sql } from 'kysely'
import type { MasterKey } from '@grove/contract/maple/card/key'
import { maxMasters } from '@grove/contract/maple/card/key.rules'
import type { Sealed } from '../../../../core/vault/vault.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import { nameKey } from '../../../../core/database/name-key.ts'
import type { MapleDb } from '../../base/tables.ts'

/** null: those of every service provider. */
export async function listMasters(db: MapleDb, scope: Scope): Promise<MasterKey[]> {
  const { rows } = await sql<MasterKey>`
    select id, name, algorithm, check_values as "checkValues", created_at as "createdAt",
      exists (select from maple.key_set where master_id = master_key.id) as "isUsed"
    from maple.master_key where ${inScope(scope, 'service_id')}
    order by name_key, id limit ${sql.lit(maxMasters + 1)}
  `.execute(db)
  return rows
}

export interface StoredMaster {
  id: string
  name: string
  algorithm: MasterKey['algorithm']
  sealed: Sealed
}

/** Master keys in encrypted form, for the vault only. */
export async function storedMasters(db: MapleDb, scope: Scope): Promise<StoredMaster[]> {
  const { rows } = await sql<
    Omit<StoredMaster, 'sealed'> & { vaultKey: number; wrappedKey: Buffer; body: Buffer }
  >`
    select id, name, algorithm, vault_key as "vaultKey", wrapped_key as "wrappedKey",
      sealed_keys as body
    from maple.master_key where ${inScope(scope, 'service_id')} order by name_key, id
    limit ${sql.lit(maxMasters)}
  `.execute(db)
  return rows.map(({ vaultKey, wrappedKey, body, ...master }) => ({
    ...master,
    sealed: { vaultKey, wrappedKey, body },
  }))
}

export async function insertMaster(
  db: MapleDb,
  {
    id,
    name,
    algorithm,
    checkValues,
    serviceId,
    sealed,
  }: Omit<MasterKey, 'createdAt' | 'isUsed'> & {
    serviceId: string | null
    sealed: Sealed
  },
): Promise<void> {
  await sql`
    insert into maple.master_key (id, service_id, name, name_key, algorithm, check_values,
      vault_key, wrapped_key, sealed_keys)
    values (${id}, ${serviceId}, ${name}, ${nameKey(name)}, ${algorithm}, ${checkValues}::text[],
      ${sealed.vaultKey}, ${sealed.wrappedKey}, ${sealed.body})
  `.execute(db)
}

/** Whether some key set is derived from it. */
export async function isMasterUsed(db: MapleDb, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from maple.key_set where master_id = ${id} limit 1
  `.execute(db)
  return rows.length > 0
}

export async function deleteMaster(db: MapleDb, id: string): Promise<void> {
  await sql`delete from maple.master_key where id = ${id}`.execute(db)
}
