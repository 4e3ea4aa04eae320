import { sql } from 'kysely'
import type { MapleContext } from '../context.ts'
import type { MapleDb } from '../tables.ts'

/** Concurrent exports from a snapshot: each holds a connection while it is sent. */
const maxSnapshots = 4
/** A download that reads nothing for so long ends. */
const idle = '10min'

export type ReadSnapshot = ReturnType<typeof openSnapshots>

/**
 * Reads all pages from a snapshot taken at the first one. A transaction on the embedded database
 * blocks everyone else, so there each page is read as it is at that moment; so are the pages of
 * exports beyond the limit of connections.
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
