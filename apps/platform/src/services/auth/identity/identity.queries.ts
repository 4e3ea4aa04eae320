import type { Insertable, Selectable } from 'kysely'
import type { AuthDb, AuthTables } from '../tables.ts'

/** Consumes an offer made to this account. */
export function takePendingLink(
  tx: AuthDb,
  hash: string,
  accountId: string,
  now: string,
): Promise<Selectable<AuthTables['auth.pending_link']> | undefined> {
  return tx
    .deleteFrom('auth.pending_link')
    .where('hash', '=', hash)
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
}

/** False if the identity is already linked to an account. */
export async function insertUnlessLinked(
  tx: AuthDb,
  identity: Insertable<AuthTables['auth.identity']>,
): Promise<boolean> {
  const row = await tx
    .insertInto('auth.identity')
    .values(identity)
    .onConflict((conflict) => conflict.constraint('identity_taken').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** The provider has verified the address, and the account's owner uses it. */
export async function verifyEmail(tx: AuthDb, accountId: string, email: string, at: string) {
  await tx
    .updateTable('auth.account')
    .set({ email_verified_at: at })
    .where('id', '=', accountId)
    .where('email', '=', email)
    .where('email_verified_at', 'is', null)
    .execute()
}

export function readIdentities(tx: AuthDb, accountId: string) {
  return tx
    .selectFrom('auth.identity')
    .select(['id', 'broker', 'issuer', 'subject'])
    .where('account_id', '=', accountId)
    .execute()
}

export async function deleteIdentity(tx: AuthDb, id: string): Promise<void> {
  await tx.deleteFrom('auth.identity').where('id', '=', id).execute()
}

export async function deleteExpiredLinks(db: AuthDb, now: string): Promise<void> {
  await db.deleteFrom('auth.pending_link').where('expires_at', '<', now).execute()
}
