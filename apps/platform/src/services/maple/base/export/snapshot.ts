import { sql } from 'kysely'
import type { MapleContext } from '../context.ts'
import type { MapleDb } from '../tables.ts'

/** Files that are read from one snapshot at once: each keeps a connection while it is sent. */
const maxSnapshots = 4
/** A download that reads nothing for so long ends. */
const idle = '10min'

export type ReadSnapshot = ReturnType<typeof openSnapshots>

/**
 * Reads pages as the database was when the first was read. The embedded database answers nobody else
 * during a transaction, so there each page is as it is when it is read; so are the pages of a file
 * beyond those that have a connection of their own.
 */
export function openSnapshots(hasOwnConnections: boolean) {
  let open = 0
  return async function* readSnapshot<Page>(
    context: MapleContext,
    pagesOf: (db: MapleDb) => AsyncIterable<Page>,
  ): AsyncGenerator<Page, void> {
    if (!hasOwnConnections || open >= maxSnapshots) return yield* pagesOf(context.db)
    open += 1
    try {
      const tx = await context.db
        .startTransaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute()
      try {
        await sql`select set_config('idle_in_transaction_session_timeout', ${idle}, true)`.execute(
          tx,
        )
        yield* pagesOf(tx)
      } finally {
        // Also when the reader went away in the middle.
        await tx.rollback().execute()
      }
    } finally {
      open -= 1
    }
  }
}
