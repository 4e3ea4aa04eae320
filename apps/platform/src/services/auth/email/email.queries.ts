import { sql, type Insertable } from 'kysely'
import type { AccountRow } from '../account/account.queries.ts'
import type { AuthDb, AuthTables } from '../tables.ts'
import type { EmailPurpose } from './email-token.ts'

/** Other mails to the address and uses of its links wait until the transaction ends. */
export function lockAccountByEmail(tx: AuthDb, email: string): Promise<AccountRow | undefined> {
  return tx
    .selectFrom('auth.account')
    .selectAll()
    .where('email', '=', email)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

export async function insertEmailToken(
  tx: AuthDb,
  token: Insertable<AuthTables['auth.email_token']>,
): Promise<void> {
  await tx.insertInto('auth.email_token').values(token).execute()
}

/** Revokes the links of an account: those of one purpose, or all. */
export async function voidEmailTokens(
  tx: AuthDb,
  accountId: string | null,
  at: string,
  purpose?: EmailPurpose,
): Promise<void> {
  await tx
    .updateTable('auth.email_token')
    .set({ used_at: at })
    .where('account_id', '=', accountId)
    .where('used_at', 'is', null)
    .$if(purpose !== undefined, (query) => query.where('purpose', '=', purpose ?? 'validate'))
    .execute()
}

/** The account of a link, while the link is valid. */
export function findAccountOfToken(
  db: AuthDb,
  hash: string,
  purpose: EmailPurpose,
  now: string,
): Promise<AccountRow | undefined> {
  return db
    .selectFrom('auth.email_token as token')
    .innerJoin('auth.account as account', 'account.id', 'token.account_id')
    .selectAll('account')
    .where('token.hash', '=', hash)
    .where('token.purpose', '=', purpose)
    .whereRef('token.email', '=', 'account.email')
    .where('token.used_at', 'is', null)
    .where('token.expires_at', '>', now)
    .where('account.disabled_at', 'is', null)
    .executeTakeFirst()
}

export async function useEmailToken(tx: AuthDb, hash: string, at: string): Promise<void> {
  await tx.updateTable('auth.email_token').set({ used_at: at }).where('hash', '=', hash).execute()
}

export async function setEmailVerified(tx: AuthDb, accountId: string, at: string): Promise<void> {
  await tx
    .updateTable('auth.account')
    .set({ email_verified_at: at })
    .where('id', '=', accountId)
    .where('email_verified_at', 'is', null)
    .execute()
}

export async function setPasswordHash(tx: AuthDb, accountId: string, hash: string): Promise<void> {
  await tx
    .updateTable('auth.account')
    .set({ password_hash: hash })
    .where('id', '=', accountId)
    .execute()
}

/** Makes a network known to the account, as a session there does. */
export async function rememberNetwork(
  tx: AuthDb,
  accountId: string,
  network: string,
  at: string,
): Promise<void> {
  await tx
    .insertInto('auth.known_network')
    .values({ account_id: accountId, network, known_at: at })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'network']).doUpdateSet({ known_at: at }),
    )
    .execute()
}

/** Removes what an unverified person chose at sign-up; accounts that we created stay unchanged. */
export async function clearSignUpProfile(
  tx: AuthDb,
  accountId: string,
  roles: readonly string[],
): Promise<void> {
  await sql`
    update auth.account set name = null, roles = ${roles}::text[]
    where id = ${accountId} and exists (
      select from auth.event where subject = ${accountId} and action = 'account.create'
        and ip <> '')`.execute(tx)
}

export async function deleteForgottenNetworks(db: AuthDb, before: string): Promise<void> {
  await db.deleteFrom('auth.known_network').where('known_at', '<', before).execute()
}

/** Returns whose they were, for the audit trail. */
export async function deleteIdentitiesOf(tx: AuthDb, accountId: string) {
  await tx.deleteFrom('auth.pending_link').where('account_id', '=', accountId).execute()
  return tx
    .deleteFrom('auth.identity')
    .where('account_id', '=', accountId)
    .returning(['broker', 'issuer', 'subject'])
    .execute()
}

export async function deleteExpiredEmailTokens(db: AuthDb, now: string): Promise<void> {
  await db.deleteFrom('auth.email_token').where('expires_at', '<', now).execute()
}
