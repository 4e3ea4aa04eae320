import { sql, type QueryExecutorProvider } from 'kysely'

/** Serialises removing a file and starting to need it. */
export const lockFile = (tx: QueryExecutorProvider, sha256: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${sha256}, 0))`.execute(tx)
