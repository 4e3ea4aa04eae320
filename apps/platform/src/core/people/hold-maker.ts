import { sql, type QueryExecutorProvider } from 'kysely'
import type { AnyActor } from '../actor.ts'
import { ProblemError } from '../http/problem.ts'

/**
 * Locks the account of someone who creates something that acts for them later, such as a key. Closing
 * the account waits for the end of the transaction, and then ends what was created.
 * @throws ProblemError `unauthorized` if the account is closed or the session has ended.
 */
export async function holdMaker(
  tx: QueryExecutorProvider,
  { id, sessionId }: Pick<AnyActor, 'id' | 'sessionId'>,
): Promise<void> {
  const { rows } = await sql<{ isClosed: boolean }>`
    select is_closed as "isClosed" from platform.person where id = ${id} for share`.execute(tx)
  // A separate statement: it sees what was committed while waiting for the lock. A deleted account
  // has no row any more, but its sessions have ended.
  const ended = await sql`
    select from platform.revocation
    where kind = 'session' and subject = ${sessionId ?? null}`.execute(tx)
  if (rows[0]?.isClosed || ended.rows.length > 0)
    throw new ProblemError('unauthorized', 'The session has ended. Sign in again.')
}
