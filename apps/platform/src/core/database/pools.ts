import { Pool, type Client, type PoolClient } from 'pg'
import { StartupError } from '../startup-error.ts'
import { addressesOf, clientFor, type Side } from './hosts.ts'
import { pgliteStream } from './pglite-stream.ts'
import { pgTypes } from './pg-types.ts'
import type { PgliteServer } from './pglite-server.ts'
import { traceQueries } from '../tracing/trace-queries.ts'

export interface DatabaseLog {
  warn: (fields: object, message: string) => void
}

export interface PostgresPoolOptions {
  log?: DatabaseLog | undefined
  /** The maximum number of connections. */
  connections?: number
  /** A pooler such as PgBouncer shares connections and refuses settings for a single one. */
  isPooled?: boolean
  /** Which of several servers it connects to. */
  side?: Side
}

export const ordinaryConnections = 10

export function openPostgresPool(
  url: string,
  {
    log,
    connections = ordinaryConnections,
    isPooled = false,
    side = 'primary',
  }: PostgresPoolOptions = {},
): Pool {
  if (!isPostgresAddress(url, side)) {
    throw new StartupError(
      'DATABASE_URL is not a PostgreSQL address: write it as postgres://user:password@host:5432/database, or remove it to use the embedded database.',
    )
  }
  const pool = new Pool({
    ...clientFor(url, side),
    max: connections,
    connectionTimeoutMillis: 5000,
    application_name: 'grove',
    keepAlive: true,
    // With a pooler the role has them (session-settings.ts).
    ...(!isPooled && {
      statement_timeout: 30_000,
      idle_in_transaction_session_timeout: 60_000,
      // JIT-compiling a query over partitions takes seconds, running it milliseconds.
      options: '-c TimeZone=UTC -c DateStyle=ISO -c jit=off',
    }),
    types: pgTypes,
  })
  dropFormer(pool, side)
  traceQueries(pool)
  return surviveLostConnections(pool, log)
}

/** Whether each host in it results in a valid URL. */
export const isPostgresAddress = (url: string, side: Side = 'primary') =>
  addressesOf(url, side).every(
    (address) => /^postgres(ql)?:\/\//.test(address) && URL.canParse(address),
  )

/** PostgreSQL's code from a read-only server: a former primary after a failover. */
const readOnlyCode = '25006'

/** PostgreSQL sends it after the next statement. */
interface ParameterStatus {
  parameterName: string
  parameterValue: string
}

/**
 * A connection to a former primary, or to a replica that was promoted, is closed: the next one finds
 * the server that is on this side now.
 */
function dropFormer(pool: Pool, side: Side): void {
  const former = new WeakSet<PoolClient>()
  pool.on('connect', (client) => {
    const { connection } = client as unknown as { connection: NodeJS.EventEmitter }
    if (side === 'primary')
      connection.on('errorMessage', ({ code }: { code?: string }) => {
        if (code === readOnlyCode) former.add(client)
      })
    else
      connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
        if (parameterName === 'in_hot_standby' && parameterValue === 'off') former.add(client)
      })
  })
  // The pool removes a client that is ending.
  pool.on('release', (_error, client) => {
    if (former.has(client)) void (client as unknown as Client).end()
  })
}

export function openPglitePool(server: PgliteServer, log?: DatabaseLog): Pool {
  const pool = new Pool({
    stream: () => pgliteStream(server),
    // PGlite has only one session: a transaction is exclusive.
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: 30_000,
    // Explicit, so that PGHOST, PGSSLMODE and the like do not affect an embedded database.
    user: 'postgres',
    database: 'postgres',
    host: 'embedded',
    password: '',
    ssl: false,
    types: pgTypes,
  })
  traceQueries(pool)
  return surviveLostConnections(pool, log)
}

/**
 * A connection that ends between queries emits `error`, on the pool if idle and on the client if
 * checked out; without listeners on both, Node exits.
 */
function surviveLostConnections(pool: Pool, log?: DatabaseLog): Pool {
  pool.on('error', (error) => log?.warn({ err: error }, 'a database connection was lost'))
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
