import { sql, type Insertable, type Selectable } from 'kysely'
import type { AuthDb, AuthTables } from '../tables.ts'

export type SigningKeyRow = Selectable<AuthTables['auth.signing_key']>

/** Keeps other processes from adding a key until this transaction ends; reads continue. */
export async function lockSigningKeys(tx: AuthDb): Promise<void> {
  await sql`lock table auth.signing_key in share row exclusive mode`.execute(tx)
}

/** Earliest first. */
export function readSigningKeys(db: AuthDb): Promise<SigningKeyRow[]> {
  return db.selectFrom('auth.signing_key').selectAll().orderBy('signs_from').execute()
}

export async function insertSigningKey(
  tx: AuthDb,
  key: Insertable<AuthTables['auth.signing_key']>,
): Promise<void> {
  await tx.insertInto('auth.signing_key').values(key).execute()
}

export async function setSigningStart(tx: AuthDb, kid: string, signsFrom: string): Promise<void> {
  await tx
    .updateTable('auth.signing_key')
    .set({ signs_from: signsFrom })
    .where('kid', '=', kid)
    .execute()
}

/** Whether a server has ever started on this database. */
export async function hasSigningKeys(db: AuthDb): Promise<boolean> {
  const result = await sql<{ found: boolean }>`
    select to_regclass('auth.signing_key') is not null as found
  `.execute(db)
  return result.rows[0]?.found ?? false
}

export async function deleteSigningKeys(tx: AuthDb, kids: readonly string[]): Promise<void> {
  if (kids.length === 0) return
  await tx.deleteFrom('auth.signing_key').where('kid', 'in', kids).execute()
}

export async function setSealedKey(tx: AuthDb, kid: string, sealed: string): Promise<void> {
  await tx
    .updateTable('auth.signing_key')
    .set({ sealed_private_jwk: sealed })
    .where('kid', '=', kid)
    .execute()
}

/** Inputs of unfinished jobs, such as queued mails. */
export async function readSealedInputs(tx: AuthDb): Promise<{ id: string; sealed: string }[]> {
  const { rows } = await sql<{ id: string; sealed: string }>`
    select id, sealed_input as sealed from auth.job where sealed_input is not null for update`.execute(
    tx,
  )
  return rows
}

export async function setSealedInput(tx: AuthDb, id: string, sealed: string): Promise<void> {
  await sql`update auth.job set sealed_input = ${sealed} where id = ${id}`.execute(tx)
}
