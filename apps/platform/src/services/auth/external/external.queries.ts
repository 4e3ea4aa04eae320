import { sql, type Insertable, type Selectable } from 'kysely'
import type { AuthDb, AuthTables } from '../tables.ts'

/** Serialises two first sign-ins of one identity: the second finds what the first created. */
export async function lockIdentity(tx: AuthDb, issuer: string, subject: string): Promise<void> {
  const name = `${issuer} ${subject}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
}

export function findIdentity(
  db: AuthDb,
  issuer: string,
  subject: string,
): Promise<Selectable<AuthTables['auth.identity']> | undefined> {
  return db
    .selectFrom('auth.identity')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
}

/** False if the identity was removed meanwhile. */
export async function touchIdentity(tx: AuthDb, id: string, at: string): Promise<boolean> {
  const row = await tx
    .updateTable('auth.identity')
    .set({ last_used_at: at })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export function findAccountById(db: AuthDb, id: string) {
  return db.selectFrom('auth.account').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

/** An identity has one open offer: this revokes older ones. */
export async function replacePendingLink(
  tx: AuthDb,
  link: Insertable<AuthTables['auth.pending_link']>,
): Promise<void> {
  await tx
    .deleteFrom('auth.pending_link')
    .where('issuer', '=', link.issuer)
    .where('subject', '=', link.subject)
    .execute()
  await tx.insertInto('auth.pending_link').values(link).execute()
}
