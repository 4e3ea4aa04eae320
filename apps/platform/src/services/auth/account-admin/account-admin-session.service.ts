import type { AccountSession } from '@grove/contract/auth/profile'
import type { Actor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { assertAllowed } from '../auth.rules.ts'
import type { AuthContext } from '../context.ts'
import { hasSession } from '../session/account-session.queries.ts'
import { endSessions, sessionsOf } from '../session/account-session.service.ts'
import { findAccount } from './account-admin.queries.ts'
import { changeAccount, noAccount, requireAdmin } from './account-admin.service.ts'

/** The live sessions of an account, last used first. */
export async function listSessionsOf(
  context: AuthContext,
  actor: Actor,
  id: string,
): Promise<AccountSession[]> {
  const { sessionId } = await requireAdmin(context, actor)
  if (!(await findAccount(context.db, id))) throw noAccount()
  return sessionsOf(context, { id, sessionId })
}

/** Ends a session of an account; idempotent. */
export async function endSessionOf(
  context: AuthContext,
  actor: Actor,
  { id, sessionId }: { id: string; sessionId: string },
): Promise<void> {
  await changeAccount(context, actor, id, async (inside, account) => {
    assertAllowed(actor, 'account.end_sessions', account)
    if (!(await hasSession(inside.db, account.id, sessionId)))
      throw new ProblemError('not_found', 'This account has no such session.')
    await endSessions(inside, actor, { accountId: account.id, only: sessionId, reason: 'revoked' })
  })
}

/** Ends every session of an account; returns how many. */
export async function endSessionsOf(
  context: AuthContext,
  actor: Actor,
  id: string,
): Promise<number> {
  let ended = 0
  await changeAccount(context, actor, id, async (inside, account) => {
    assertAllowed(actor, 'account.end_sessions', account)
    ended = await endSessions(inside, actor, { accountId: account.id, reason: 'revoked' })
  })
  return ended
}
