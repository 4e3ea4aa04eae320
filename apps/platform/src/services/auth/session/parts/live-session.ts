import type { Actor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { AuthContext } from '../../context.ts'
import type { AccountRow } from '../../account/account.queries.ts'
import { findAccountOfSession, lockAccount } from '../session.queries.ts'
import { accountDisabled, isOver } from './start-session.ts'

/** An account and the session in use. */
export type LiveAccount = AccountRow & { sessionId: string }

/**
 * The actor's account as it is now. Access tokens are verified without the database and so outlive
 * their session by up to ten minutes; calls that show or change an account check here, so that an
 * ended session can do neither.
 * @throws ProblemError `unauthorized` if the session has ended, `account_disabled`.
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
 * operations that end its sessions, are serialised. Lock the account before its sessions, never
 * after.
 */
export async function lockLiveAccount(context: AuthContext, actor: Actor): Promise<LiveAccount> {
  await lockAccount(context.db, actor.id)
  return requireLiveSession(context, actor)
}

const sessionOver = () => new ProblemError('unauthorized', 'The session has ended. Sign in again.')
