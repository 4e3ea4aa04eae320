import type { Actor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { AuthContext } from '../../context.ts'
import type { AccountRow } from '../../account/account.queries.ts'
import { findAccountOfSession, lockAccount } from '../session.queries.ts'
import { accountDisabled, isOver } from './start-session.ts'

/** An account together with the session that it is used by. */
export type LiveAccount = AccountRow & { sessionId: string }

/**
 * The actor's account as it is now. An access token is verified without the database and so outlives
 * its session by up to ten minutes; calls that show or change an account check here, so that an
 * ended session can do neither.
 * @throws ProblemError `unauthorized` when the session is over, `account_disabled`.
 */
export async function requireLiveSession(
  context: AuthContext,
  { id, sessionId }: Actor,
): Promise<LiveAccount> {
  const found = sessionId && (await findAccountOfSession(context.db, sessionId, id))
  if (!found) throw sessionOver()
  const { session, account } = found
  if (account.disabled_at !== null) throw accountDisabled()
  if (isOver(session, context.now())) throw sessionOver()
  return { ...account, sessionId }
}

/**
 * The same inside a transaction, with the account locked until it ends: changes to one account, and
 * what ends its sessions, happen one after the other. Lock the account before its sessions, never after.
 */
export async function lockLiveAccount(context: AuthContext, actor: Actor): Promise<LiveAccount> {
  await lockAccount(context.db, actor.id)
  return requireLiveSession(context, actor)
}

const sessionOver = () => new ProblemError('unauthorized', 'The session has ended. Sign in again.')
