import { sql } from 'kysely'
import type { ProgramSecret } from '@grove/contract/maple/program/program-secret'
import type { Sealed } from '../../../../core/vault/vault.ts'
import type { MapleDb } from '../../base/tables.ts'

/** The program that owns the secrets. */
export interface SecretOwner {
  type: 'handler' | 'script'
  id: string
}

/** The name of the webhook secret of a handler: people cannot use it. */
export const hookSecretName = () => '$hook'

const columnOf = ({ type }: SecretOwner) => sql.ref(type === 'handler' ? 'handler_id' : 'script_id')
const isOf = (owner: SecretOwner) => sql`${columnOf(owner)} = ${owner.id}`

/** Without that of a webhook. */
export async function listSecrets(db: MapleDb, owner: SecretOwner): Promise<ProgramSecret[]> {
  const { rows } = await sql<ProgramSecret>`
    select name, updated_by as "updatedBy", updated_at as "updatedAt" from maple.handler_secret
    where ${isOf(owner)} and name <> ${hookSecretName()} order by name`.execute(db)
  return rows
}

export interface KeptSecret {
  /** Its vault binding. */
  id: string
  name: string
  sealed: Sealed
}

/** That of this name, or all. */
export async function readSecrets(
  db: MapleDb,
  owner: SecretOwner,
  name?: string,
): Promise<KeptSecret[]> {
  const { rows } = await sql<{
    id: string
    name: string
    vaultKey: number
    wrappedKey: Buffer
    body: Buffer
  }>`
    select id, name, vault_key as "vaultKey", wrapped_key as "wrappedKey", sealed_text as body
    from maple.handler_secret
    where ${isOf(owner)} and ${name === undefined ? sql`true` : sql`name = ${name}`}
  `.execute(db)
  return rows.map(({ id, name: of, ...sealed }) => ({ id, name: of, sealed }))
}

/** A new id with each value, so that nobody can put an old value back into the row. */
export async function storeSecret(
  db: MapleDb,
  owner: SecretOwner,
  { id, name, sealed, by }: KeptSecret & { by: string },
): Promise<ProgramSecret> {
  const { rows } = await sql<ProgramSecret>`
    insert into maple.handler_secret
      (id, ${columnOf(owner)}, name, vault_key, wrapped_key, sealed_text, updated_by)
    values (${id}, ${owner.id}, ${name}, ${sealed.vaultKey}, ${sealed.wrappedKey}, ${sealed.body},
      ${by})
    on conflict (${columnOf(owner)}, name) do update set id = excluded.id,
      vault_key = excluded.vault_key, wrapped_key = excluded.wrapped_key,
      sealed_text = excluded.sealed_text, updated_by = excluded.updated_by, updated_at = now()
    returning name, updated_by as "updatedBy", updated_at as "updatedAt"`.execute(db)
  const [row] = rows
  if (!row) throw new Error('A secret was not stored.')
  return row
}

export async function deleteSecret(
  db: MapleDb,
  owner: SecretOwner,
  name: string,
): Promise<boolean> {
  const { rows } = await sql`
    delete from maple.handler_secret where ${isOf(owner)} and name = ${name} returning 1`.execute(
    db,
  )
  return rows.length > 0
}
