import { sql } from 'kysely'
import type { AccountRow } from '../account/account.queries.ts'
import type { AuthDb } from '../tables.ts'

export interface NewSession {
  id: string
  accountId: string
  network: string
  userAgent: string
  method: 'password' | 'signUp' | 'external'
  identityId: string | null
  createdAt: string
  idleExpiresAt: string
  expiresAt: string
}

/** Until the transaction ends, the account cannot be disabled and its password cannot change. */
export function shareAccount(tx: AuthDb, accountId: string) {
  return tx
    .selectFrom('auth.account')
    .select(['password_hash', 'disabled_at'])
    .where('id', '=', accountId)
    .forShare()
    .executeTakeFirst()
}

/** Sign-ins to the accounts and changes of them wait until the transaction ends. */
export function lockAccounts(tx: AuthDb, ids: readonly string[]) {
  return (
    tx
      .selectFrom('auth.account')
      .selectAll()
      .where('id', 'in', ids)
      // Always in this order, or two transactions that lock the same two deadlock.
      .orderBy('id')
      .forNoKeyUpdate()
      .execute()
  )
}

export async function lockAccount(tx: AuthDb, id: string): Promise<AccountRow | undefined> {
  return (await lockAccounts(tx, [id]))[0]
}

export async function insertSession(tx: AuthDb, session: NewSession): Promise<void> {
  await tx
    .insertInto('auth.session')
    .values({
      id: session.id,
      account_id: session.accountId,
      network: session.network,
      first_network: session.network,
      user_agent: session.userAgent,
      method: session.method,
      identity_id: session.identityId,
      created_at: session.createdAt,
      last_used_at: session.createdAt,
      idle_expires_at: session.idleExpiresAt,
      expires_at: session.expiresAt,
    })
    .execute()
}

export async function insertRefreshToken(tx: AuthDb, hash: string, sessionId: string) {
  await tx.insertInto('auth.refresh_token').values({ hash, session_id: sessionId }).execute()
}

/** What determines whether a session has ended. */
export interface SessionLife {
  idle_expires_at: string
  expires_at: string
  ended_at: string | null
}

export interface LockedSession extends SessionLife {
  id: string
  account_id: string
}

/**
 * The session of any of its refresh tokens, locked until the transaction ends: the second of two
 * concurrent refreshes waits here. Read the token and the account afterwards, not in the same query,
 * which would see them as of before the wait.
 */
export async function lockSessionOf(tx: AuthDb, hash: string): Promise<LockedSession | undefined> {
  const result = await sql<LockedSession>`
    select id, account_id, idle_expires_at, expires_at, ended_at from auth.session
    where id = (select session_id from auth.refresh_token where hash = ${hash})
    for update
  `.execute(tx)
  return result.rows[0]
}

export async function isRefreshToken(db: AuthDb, hash: string): Promise<boolean> {
  const row = await db
    .selectFrom('auth.refresh_token')
    .select('hash')
    .where('hash', '=', hash)
    .executeTakeFirst()
  return row !== undefined
}

/** A refresh token with its account. */
export function readRefreshToken(tx: AuthDb, hash: string) {
  return tx
    .selectFrom('auth.refresh_token')
    .innerJoin('auth.session', 'auth.session.id', 'auth.refresh_token.session_id')
    .innerJoin('auth.account', 'auth.account.id', 'auth.session.account_id')
    .select(['used_at', 'sealed_answer', 'roles', 'disabled_at'])
    .where('hash', '=', hash)
    .executeTakeFirstOrThrow()
}

/** The account of a session, both as they are now. */
export async function findAccountOfSession(db: AuthDb, sessionId: string, accountId: string) {
  const row = await db
    .selectFrom('auth.session')
    .innerJoin('auth.account', 'auth.account.id', 'auth.session.account_id')
    .selectAll('auth.account')
    .select(['idle_expires_at', 'expires_at', 'ended_at'])
    .where('auth.session.id', '=', sessionId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (!row) return undefined
  const { idle_expires_at, expires_at, ended_at, ...account } = row
  return { account, session: { idle_expires_at, expires_at, ended_at } }
}

/** Marks a token as used; the answer stored for its predecessor is deleted. */
export async function useRefreshToken(
  tx: AuthDb,
  sessionId: string,
  hash: string,
  usedAt: string,
  sealedAnswer: string,
): Promise<void> {
  await tx
    .updateTable('auth.refresh_token')
    .set({ sealed_answer: null })
    .where('session_id', '=', sessionId)
    .where('sealed_answer', 'is not', null)
    .execute()
  await tx
    .updateTable('auth.refresh_token')
    .set({ used_at: usedAt, sealed_answer: sealedAnswer })
    .where('hash', '=', hash)
    .execute()
}

/** Where and when a session was last used. */
export async function touchSession(
  tx: AuthDb,
  sessionId: string,
  use: { at: string; idleExpiresAt: string; network: string; userAgent: string },
): Promise<void> {
  await tx
    .updateTable('auth.session')
    .set({
      last_used_at: use.at,
      idle_expires_at: use.idleExpiresAt,
      network: use.network,
      user_agent: use.userAgent,
    })
    .where('id', '=', sessionId)
    .execute()
}

export async function setSessionEnd(
  tx: AuthDb,
  sessionId: string,
  at: string,
  reason: 'logout' | 'reuse',
): Promise<void> {
  await tx
    .updateTable('auth.session')
    .set({ ended_at: at, end_reason: reason })
    .where('id', '=', sessionId)
    .execute()
}

/** Ended ones stay until then: they tell which networks an account signs in from. */
export async function deleteExpiredSessions(db: AuthDb, now: string): Promise<void> {
  await db.deleteFrom('auth.session').where('expires_at', '<', now).execute()
}
