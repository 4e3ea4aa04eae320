import { mkdir, access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { beginDataFolder, damagedDatabase } from './data-folder.ts'
import { lockFolder } from '../folder-lock.ts'
import { StartupError } from '../startup-error.ts'
import { describeHosts } from './hosts.ts'
import { openLocalNotices, openPostgresNotices, type Notices } from './notices.ts'
import { startPglite, type PgliteServer } from './pglite-server.ts'
import { keepUp } from './pglite-upkeep.ts'
import { openPglitePool, openPostgresPool, ordinaryConnections, type DatabaseLog } from './pools.ts'
import { keepInRole, requireSettings } from './session-settings.ts'
import type pg from 'pg'

/** A service narrows it with `db.withTables<Tables>()`. */
export type Db = Kysely<unknown>

export interface Database {
  db: Db
  engine: 'pglite' | 'postgres'
  ping: () => Promise<void>
  /** Connections of this process: all, idle ones, and queries waiting for one. */
  connections: () => { total: number; idle: number; waiting: number }
  /** Notifies other processes on the same database. */
  notices: Notices
  /**
   * Works on connections that bypass the pooler, so that session state such as `set` and locks stays
   * with them.
   */
  direct: <T>(work: (db: Db) => Promise<T>) => Promise<T>
  close: () => Promise<void>
}

export interface DatabaseOptions {
  /** PostgreSQL's URL; absent: the embedded database. */
  url?: string | undefined
  /** The same database without the pooler, such as PgBouncer, if there is one at `url`. */
  directUrl?: string | undefined
  /** The maximum number of connections to PostgreSQL. */
  connections?: number
  /** The data folder; the embedded database lives in `database` inside it. */
  folder: string
  log?: DatabaseLog | undefined
}

export function openDatabase(options: DatabaseOptions): Promise<Database> {
  return options.url ? openPostgres({ ...options, url: options.url }) : openEmbedded(options)
}

async function openPostgres({
  url,
  directUrl,
  log,
  connections = ordinaryConnections,
}: DatabaseOptions & { url: string }): Promise<Database> {
  const pool = openPostgresPool(url, { log, connections, isPooled: directUrl !== undefined })
  const notices = openPostgresNotices(directUrl ?? url, pool, log)
  const postgres = database('postgres', { pool, notices }, async () => {})
  try {
    if (directUrl !== undefined) {
      // Before the pooler connects.
      await keepInRole(directUrl).catch((error: unknown) =>
        refused(directUrl, error, 'DATABASE_DIRECT_URL'),
      )
      await requireSettings(url)
    }
    await postgres.ping()
    return directUrl === undefined ? postgres : { ...postgres, direct: pastPooler(directUrl) }
  } catch (error) {
    await postgres.close()
    if (error instanceof StartupError) throw error
    return refused(url, error, 'DATABASE_URL')
  }
}

/** A PostgreSQL in addition to the database. */
export type Store = Pick<Database, 'close' | 'connections' | 'db' | 'direct' | 'engine' | 'ping'>

/** Bypasses any pooler; the server may be down when this opens. */
export function openStore(
  url: string,
  options: Pick<DatabaseOptions, 'connections' | 'log'> = {},
): Store {
  const pool = openPostgresPool(url, options)
  return database('postgres', { pool, notices: openLocalNotices() }, async () => {})
}

const pastPooler =
  (url: string): Database['direct'] =>
  async (work) => {
    // One for the work, and one that checks what the work waits for.
    const pool = openPostgresPool(url, { connections: 2 })
    const db: Db = new Kysely({ dialect: new PostgresDialect({ pool }) })
    try {
      return await work(db)
    } finally {
      await db.destroy()
    }
  }

function refused(url: string, error: unknown, name: string): never {
  const cause = error instanceof Error ? error.message || error.name : String(error)
  const isPooler = cause.includes('unsupported startup parameter')
  throw new StartupError(
    `PostgreSQL at ${describeHosts(url)} refuses the connection (${cause}): ${isPooler ? 'a pooler stands there, so set DATABASE_DIRECT_URL to the address past it.' : `start it, or correct ${name}.`}`,
    { cause: error },
  )
}

async function openEmbedded({ folder, log }: DatabaseOptions): Promise<Database> {
  const data = join(folder, 'database')
  await makeWritable(data)
  const lock = await lockFolder(folder)
  try {
    const finish = await beginDataFolder(folder)
    const server = await startPglite({ folder: data, log }).catch((error: unknown) => {
      throw damagedDatabase(data, error)
    })
    await finish()
    return overPglite(server, log, lock.release)
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** The embedded database in memory, from a template: for tests. */
export async function openInMemory(
  template: Uint8Array<ArrayBuffer>,
  log?: DatabaseLog,
): Promise<Database> {
  return overPglite(await startPglite({ template, log }), log, async () => {})
}

function overPglite(
  server: PgliteServer,
  log: DatabaseLog | undefined,
  after: () => Promise<void>,
) {
  const pool = openPglitePool(server, log)
  const stopUpkeep = keepUp(pool, log)
  return database('pglite', { pool, notices: openLocalNotices() }, async () => {
    stopUpkeep()
    await server.close()
    await after()
  })
}

function database(
  engine: Database['engine'],
  { pool, notices }: { pool: pg.Pool; notices: Notices },
  after: () => Promise<void>,
): Database {
  const db: Db = new Kysely({ dialect: new PostgresDialect({ pool }) })
  let closing: Promise<void> | undefined
  return {
    db,
    engine,
    ping: async () => {
      await sql`select 1`.execute(db)
    },
    connections: () => ({
      total: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    notices,
    direct: (work) => work(db),
    close: () =>
      (closing ??= notices
        .close()
        .then(() => db.destroy())
        .then(after)),
  }
}

async function makeWritable(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new StartupError(
      `Grove cannot write to its data folder ${folder} (${code}): give this user the right to it, or set GROVE_DATA to another folder.`,
      { cause: error },
    )
  }
}
