import { Pool } from 'pg'
import { StartupError } from '../startup-error.ts'
import { pgliteStream } from './pglite-stream.ts'
import { pgTypes } from './pg-types.ts'
import type { PgliteServer } from './pglite-server.ts'

export interface DatabaseLog {
  warn: (fields: object, message: string) => void
}

export function openPostgresPool(url: string, log?: DatabaseLog): Pool {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new StartupError(
      'DATABASE_URL is not a PostgreSQL address: write it as postgres://user:password@host:5432/database, or remove it to use the embedded database.',
    )
  }
  const pool = new Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 5000,
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: 60_000,
    application_name: 'grove',
    keepAlive: true,
    // To compile a query over partitions takes seconds, to run it milliseconds.
    options: '-c TimeZone=UTC -c DateStyle=ISO -c jit=off',
    types: pgTypes,
  })
  return surviveLostConnections(pool, log)
}

export function openPglitePool(server: PgliteServer, log?: DatabaseLog): Pool {
  const pool = new Pool({
    stream: () => pgliteStream(server),
    // One session is all that PGlite has: a transaction is exclusive.
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: 30_000,
    // Explicit, so that PGHOST, PGSSLMODE and the like cannot reach an embedded database.
    user: 'postgres',
    database: 'postgres',
    host: 'embedded',
    password: '',
    ssl: false,
    types: pgTypes,
  })
  return surviveLostConnections(pool, log)
}

/**
 * A connection that ends while nobody queries it emits `error`, on the pool when idle and on the
 * client when checked out; without a listener on both, Node ends the process.
 */
function surviveLostConnections(pool: Pool, log?: DatabaseLog): Pool {
  pool.on('error', (error) => log?.warn({ err: error }, 'a database connection was lost'))
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
