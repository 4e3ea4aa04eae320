import { sql } from 'kysely'
import type { AuthDb } from '../tables.ts'

export interface NewSession {
  id: string
  accountId: string
  network: string
  userAgent: string
  method: 'password' | 'signUp' | 'external'
  createdAt: string
  idleExpiresAt: string
  expiresAt: string
}

export async function insertSession(tx: AuthDb, session: NewSession): Promise<void> {
  await tx
    .insertInto('auth.session')
    .values({
      id: session.id,
      account_id: session.accountId,
      network: session.network,
      user_agent: session.userAgent,
      method: session.method,
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

export interface LockedSession {
  id: string
  account_id: string
  idle_expires_at: string
  expires_at: string
  ended_at: string | null
  roles: string[]
  disabled_at: string | null
}

/**
 * The session of any of its refresh tokens, locked until the transaction ends: of two refreshes at
 * once the second waits here. Read the token after this, not with it, or it is read as it was before
 * the wait.
 */
export async function lockSessionOf(tx: AuthDb, hash: string): Promise<LockedSession | undefined> {
  const result = await sql<LockedSession>`
    select s.id, s.account_id, s.idle_expires_at, s.expires_at, s.ended_at, a.roles, a.disabled_at
    from auth.session s join auth.account a on a.id = s.account_id
    where s.id = (select session_id from auth.refresh_token where hash = ${hash})
    for update of s
  `.execute(tx)
  return result.rows[0]
}

export function readRefreshToken(tx: AuthDb, hash: string) {
  return tx
    .selectFrom('auth.refresh_token')
    .select(['used_at', 'sealed_answer'])
    .where('hash', '=', hash)
    .executeTakeFirstOrThrow()
}

/** Marks a token as used; the answer that its own predecessor kept is forgotten. */
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

export async function setIdleExpiry(tx: AuthDb, sessionId: string, at: string): Promise<void> {
  await tx
    .updateTable('auth.session')
    .set({ idle_expires_at: at })
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
