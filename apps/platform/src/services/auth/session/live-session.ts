import type { Caller } from '../../../core/http/access.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import type { AccountRow } from '../account/account.queries.ts'
import type { Auth } from '../auth.ts'
import type { AuthDb } from '../tables.ts'
import { findAccountOfSession, lockAccount } from './session.queries.ts'
import { accountDisabled, isOver } from './start-session.ts'

/** An account together with the session that it is used by. */
export type LiveAccount = AccountRow & { sessionId: string }

/**
 * The caller's account as it is now. An access token is verified without the database and so outlives
 * its session by up to ten minutes; the calls that show or change an account ask here, so that a
 * session that was ended does neither any more.
 * @throws ProblemError `unauthorized` when the session is over, `account_disabled`.
 */
export async function requireLiveSession(
  auth: Auth,
  db: AuthDb,
  { userId, sessionId }: Caller,
): Promise<LiveAccount> {
  const found = sessionId && (await findAccountOfSession(db, sessionId, userId))
  if (!found) throw sessionOver()
  const { session, account } = found
  if (account.disabled_at !== null) throw accountDisabled()
  if (isOver(session, auth.now())) throw sessionOver()
  return { ...account, sessionId }
}

/**
 * The same, with the account locked until the transaction ends: changes to one account, and what ends
 * its sessions, happen one after the other. Lock the account before its sessions, never after.
 */
export async function lockLiveAccount(
  auth: Auth,
  tx: AuthDb,
  caller: Caller,
): Promise<LiveAccount> {
  await lockAccount(tx, caller.userId)
  return requireLiveSession(auth, tx, caller)
}

const sessionOver = () => new ProblemError('unauthorized', 'The session has ended. Sign in again.')
