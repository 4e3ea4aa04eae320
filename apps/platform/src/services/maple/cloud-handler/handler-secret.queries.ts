import { sql } from 'kysely'
import type { HandlerSecret } from '@grove/contract'
import type { Sealed } from '../../../core/vault/vault.ts'
import type { MapleDb } from '../tables.ts'
import { hookSecretName } from './cloud-handler.queries.ts'

/** Without that of the webhook. */
export async function listSecrets(db: MapleDb, handlerId: string): Promise<HandlerSecret[]> {
  const { rows } = await sql<HandlerSecret>`
    select name, updated_by as "updatedBy", updated_at as "updatedAt" from maple.handler_secret
    where handler_id = ${handlerId} and name <> ${hookSecretName()} order by name`.execute(db)
  return rows
}

export interface KeptSecret {
  /** What the vault binds it to. */
  id: string
  name: string
  sealed: Sealed
}

/** Those of these names, or all. */
export async function readSecrets(
  db: MapleDb,
  handlerId: string,
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
    where handler_id = ${handlerId} and ${name === undefined ? sql`true` : sql`name = ${name}`}
  `.execute(db)
  return rows.map(({ id, name: of, ...sealed }) => ({ id, name: of, sealed }))
}

/** A new id with each value, so that nobody puts an old value back into the row. */
export async function storeSecret(
  db: MapleDb,
  handlerId: string,
  { id, name, sealed, by }: KeptSecret & { by: string },
): Promise<HandlerSecret> {
  const { rows } = await sql<HandlerSecret>`
    insert into maple.handler_secret
      (id, handler_id, name, vault_key, wrapped_key, sealed_text, updated_by)
    values (${id}, ${handlerId}, ${name}, ${sealed.vaultKey}, ${sealed.wrappedKey}, ${sealed.body},
      ${by})
    on conflict (handler_id, name) do update set id = excluded.id, vault_key = excluded.vault_key,
      wrapped_key = excluded.wrapped_key, sealed_text = excluded.sealed_text,
      updated_by = excluded.updated_by, updated_at = now()
    returning name, updated_by as "updatedBy", updated_at as "updatedAt"`.execute(db)
  const [row] = rows
  if (!row) throw new Error('A secret was not stored.')
  return row
}

export async function deleteSecret(db: MapleDb, handlerId: string, name: string): Promise<boolean> {
  const { rows } = await sql`
    delete from maple.handler_secret where handler_id = ${handlerId} and name = ${name}
    returning 1`.execute(db)
  return rows.length > 0
}
