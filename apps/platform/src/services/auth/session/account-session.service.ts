import type { AccountSession } from '@grove/contract'
import { audit } from '../../../core/audit.ts'
import type { Caller } from '../../../core/http/access.ts'
import type { Origin } from '../../../core/http/add-call.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import type { Auth } from '../auth.ts'
import type { AuthDb } from '../tables.ts'
import {
  endLiveSessions,
  hasSession,
  readLiveSessions,
  type EndReason,
} from './account-session.queries.ts'
import { lockLiveAccount, requireLiveSession } from './live-session.ts'
import { timeText } from './start-session.ts'

const most = 100

/** The sessions of the caller's account that are not over, the last used first. */
export async function listSessions(auth: Auth, caller: Caller): Promise<AccountSession[]> {
  const { id, sessionId } = await requireLiveSession(auth, auth.db, caller)
  const rows = await readLiveSessions(auth.db, id, timeText(auth.now()), most)
  return rows.map((row) => ({
    id: row.id,
    isCurrent: row.id === sessionId,
    method: row.method,
    userAgent: row.user_agent,
    network: row.network,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.idle_expires_at,
  }))
}

/** Ends a session of the caller's account; one that is over already may be ended again. */
export async function revokeSession(
  auth: Auth,
  caller: Caller,
  sessionId: string,
  origin: Origin,
): Promise<void> {
  await auth.db.transaction().execute(async (tx) => {
    const { id } = await lockLiveAccount(auth, tx, caller)
    if (!(await hasSession(tx, id, sessionId)))
      throw new ProblemError('not_found', 'This account has no such session.')
    await endSessions(auth, tx, id, { only: sessionId }, 'revoked', { actor: id, origin })
  })
}

/** Ends every session of the caller's account but the one of this call; answers how many. */
export async function revokeOtherSessions(
  auth: Auth,
  caller: Caller,
  origin: Origin,
): Promise<number> {
  return auth.db.transaction().execute(async (tx) => {
    const { id, sessionId } = await lockLiveAccount(auth, tx, caller)
    return endSessions(auth, tx, id, { except: sessionId }, 'revoked', { actor: id, origin })
  })
}

/** Ends sessions of an account with an audit row that names them; answers how many. */
export async function endSessions(
  auth: Auth,
  tx: AuthDb,
  accountId: string,
  which: { only?: string; except?: string },
  reason: EndReason,
  by: { actor: string | null; origin: Origin },
): Promise<number> {
  const sessions = await endLiveSessions(tx, accountId, which, timeText(auth.now()), reason)
  if (sessions.length > 0)
    await audit(tx, 'auth', {
      ...by,
      action: 'session.revoke',
      subject: which.only ?? accountId,
      after: which.only === undefined ? { reason, sessions } : { reason },
    })
  return sessions.length
}
