import type { AccountSession } from '@grove/contract/auth/profile'
import type { Actor, AnyActor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { record, type AuthContext, within } from '../context.ts'
import {
  endLiveSessions,
  hasSession,
  readLiveSessions,
  type EndReason,
} from './account-session.queries.ts'
import { lockLiveAccount, requireLiveSession } from './parts/live-session.ts'
import { timeText } from './parts/start-session.ts'

const most = 100

/** The live sessions of the actor's account, last used first. */
export const listSessions = async (context: AuthContext, actor: Actor): Promise<AccountSession[]> =>
  sessionsOf(context, await requireLiveSession(context, actor))

/** The live sessions of an account, last used first; `sessionId` is the reader's own. */
export async function sessionsOf(
  { db, now }: AuthContext,
  { id, sessionId }: { id: string; sessionId: string },
): Promise<AccountSession[]> {
  const rows = await readLiveSessions(db, id, timeText(now()), most)
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

/** Ends a session of the actor's account; idempotent. */
export async function revokeSession(
  context: AuthContext,
  actor: Actor,
  { id: sessionId }: { id: string },
): Promise<void> {
  await context.db.transaction().execute(async (tx) => {
    const inside = within(context, tx)
    const { id } = await lockLiveAccount(inside, actor)
    if (!(await hasSession(tx, id, sessionId)))
      throw new ProblemError('not_found', 'This account has no such session.')
    await endSessions(inside, actor, { accountId: id, only: sessionId, reason: 'revoked' })
  })
}

/** Ends every session of the actor's account except that of this call; returns how many. */
export async function revokeOtherSessions(context: AuthContext, actor: Actor): Promise<number> {
  return context.db.transaction().execute(async (tx) => {
    const inside = within(context, tx)
    const { id, sessionId } = await lockLiveAccount(inside, actor)
    return endSessions(inside, actor, { accountId: id, except: sessionId, reason: 'revoked' })
  })
}

interface SessionsToEnd {
  accountId: string
  reason: EndReason
  only?: string
  except?: string
  /** Only sessions that this identity started. */
  ofIdentity?: string
}

/** Ends sessions of an account in a transaction, with an event that names them; returns how many. */
export async function endSessions(
  { db, now }: AuthContext,
  actor: Pick<AnyActor, 'id' | 'origin'>,
  { accountId, reason, ...which }: SessionsToEnd,
): Promise<number> {
  const sessions = await endLiveSessions(db, accountId, which, timeText(now()), reason)
  if (sessions.length > 0)
    await record(db, actor, 'session.revoke', which.only ?? accountId, {
      after: which.only === undefined ? { reason, sessions } : { reason },
    })
  return sessions.length
}
