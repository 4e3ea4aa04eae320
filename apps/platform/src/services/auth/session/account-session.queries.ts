import type { AuthDb } from '../tables.ts'

export type EndReason = 'logout' | 'reuse' | 'revoked' | 'password' | 'disabled' | 'unlinked'

/** Live sessions of an account, last used first. */
export function readLiveSessions(db: AuthDb, accountId: string, now: string, limit: number) {
  return db
    .selectFrom('auth.session')
    .select([
      'id',
      'method',
      'user_agent',
      'network',
      'created_at',
      'last_used_at',
      'idle_expires_at',
    ])
    .where('account_id', '=', accountId)
    .where('ended_at', 'is', null)
    .where('idle_expires_at', '>', now)
    .where('expires_at', '>', now)
    .orderBy('last_used_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Ends sessions of an account, one or all but one, and returns those that were live. */
export async function endLiveSessions(
  tx: AuthDb,
  accountId: string,
  which: { only?: string; except?: string; ofIdentity?: string },
  at: string,
  reason: EndReason,
): Promise<string[]> {
  const rows = await tx
    .updateTable('auth.session')
    .set({ ended_at: at, end_reason: reason })
    .where('account_id', '=', accountId)
    .where('ended_at', 'is', null)
    .where('idle_expires_at', '>', at)
    .where('expires_at', '>', at)
    .$if(which.only !== undefined, (query) => query.where('id', '=', which.only ?? ''))
    .$if(which.except !== undefined, (query) => query.where('id', '<>', which.except ?? ''))
    .$if(which.ofIdentity !== undefined, (query) =>
      query
        .where('method', '=', 'external')
        // Sessions from before identities were recorded may belong to it.
        .where((where) =>
          where.or([
            where('identity_id', '=', which.ofIdentity ?? ''),
            where('identity_id', 'is', null),
          ]),
        ),
    )
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}

/** Whether a session belongs to the account, live or not. */
export async function hasSession(db: AuthDb, accountId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('auth.session')
    .select('id')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row !== undefined
}
