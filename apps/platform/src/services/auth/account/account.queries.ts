import { sql, type Insertable, type Selectable } from 'kysely'
import type { AuthDb, AuthTables } from '../tables.ts'

export type AccountRow = Selectable<AuthTables['auth.account']>

export function findAccountByEmail(db: AuthDb, email: string): Promise<AccountRow | undefined> {
  return db.selectFrom('auth.account').selectAll().where('email', '=', email).executeTakeFirst()
}

export function findAccountById(db: AuthDb, id: string): Promise<AccountRow | undefined> {
  return db.selectFrom('auth.account').selectAll().where('id', '=', id).executeTakeFirst()
}

/** False when the email is taken. */
export async function insertAccount(
  db: AuthDb,
  account: Insertable<AuthTables['auth.account']>,
): Promise<boolean> {
  const row = await db
    .insertInto('auth.account')
    .values(account)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Replaces a hash, unless the password has changed meanwhile. */
export async function replacePasswordHash(
  db: AuthDb,
  accountId: string,
  before: string,
  after: string,
): Promise<void> {
  await db
    .updateTable('auth.account')
    .set({ password_hash: after })
    .where('id', '=', accountId)
    .where('password_hash', '=', before)
    .execute()
}

/** A time closes the account; null opens it again. */
export async function setDisabledAt(db: AuthDb, accountId: string, at: string | null) {
  await db
    .updateTable('auth.account')
    .set({ disabled_at: at })
    .where('id', '=', accountId)
    .execute()
}

export async function setRoles(db: AuthDb, accountId: string, roles: readonly string[]) {
  await db
    .updateTable('auth.account')
    .set({ roles: [...roles] })
    .where('id', '=', accountId)
    .execute()
}

/** Whether the network recently used the account: by a session, or by a mailed link. */
export async function isKnownNetwork(db: AuthDb, email: string, network: string): Promise<boolean> {
  const { rows } = await sql<{ isKnown: boolean }>`
    select exists (
      select from auth.session join auth.account on account.id = session.account_id
      where email = ${email} and (network = ${network} or first_network = ${network})
    ) or exists (
      select from auth.known_network as known join auth.account on account.id = known.account_id
      where email = ${email} and network = ${network}
    ) as "isKnown"`.execute(db)
  return rows[0]?.isKnown ?? false
}
