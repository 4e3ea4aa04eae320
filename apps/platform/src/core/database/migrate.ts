import { setTimeout as wait } from 'node:timers/promises'
import { sql, type Kysely, type QueryExecutorProvider } from 'kysely'
import { StartupError } from '../startup-error.ts'
import { applyIndexStatements, readIndexStatements } from './concurrent-indexes.ts'
import type { Db } from './database.ts'
import { watchLockWaits } from './lock-waits.ts'
import {
  nameOf,
  numberOf,
  readMigrations,
  type Migration,
  type MigrationSource,
} from './migration-files.ts'

type Tables = {
  'grove.migration': { service: string; name: string; sha256: string; needs: number | null }
}

type Row = Tables['grove.migration']

export interface MigrateOptions {
  /** Skips those that are newer than a backup. */
  only?: ReadonlySet<string> | undefined
  /** Others use the database, and may hold locks that a migration needs. */
  isShared?: boolean
  patience?: Partial<Patience>
  /** Called about everything that takes time. */
  say?: (line: string) => void
}

/** Statements queue behind a migration that waits for a lock, so it pauses between its attempts. */
interface Patience {
  lockMs: number
  tries: number
  pauseMs: number
}

const ordinaryPatience: Patience = { lockMs: 2000, tries: 10, pauseMs: 3000 }

/** An arbitrary unique lock id. */
const lockKey = 7_146_223
const lockPollMs = 200

/**
 * Applies new migrations, each file in one transaction, and returns their names `service/name`.
 * @throws StartupError if one of `only` is unknown, or the database is not one for this release.
 */
export async function migrate(
  db: Db,
  sources: readonly MigrationSource[],
  options: MigrateOptions = {},
): Promise<string[]> {
  const migrations = await chosen(sources, options.only)
  // A start that changes nothing neither locks nor waits.
  const before = await readRows(db)
  if (before && missing(before, migrations).length === 0) return []
  return db
    .withTables<Tables>()
    .connection()
    .execute(async (connection) => {
      // An index on a large table may take long.
      await sql`set statement_timeout = 0`.execute(connection)
      await takeLock(connection, options)
      try {
        await makeTable(connection)
        const pending = missing((await readRows(connection)) ?? [], migrations)
        for (const migration of pending) await apply(connection, migration, { ...options, db })
        return pending.map(nameOf)
      } finally {
        await sql`select pg_advisory_unlock(${lockKey})`.execute(connection)
        await sql`reset statement_timeout`.execute(connection)
      }
    })
}

export interface MigrationState {
  /** Names `service/name` of this release's migrations that the database lacks. */
  pending: string[]
  /** Migrations of a newer release in the database, with which this release can work. */
  newer: string[]
}

/**
 * Compares the database with this release; changes nothing.
 * @throws StartupError if the database does not fit this release.
 */
export async function readMigrationState(
  db: Db,
  sources: readonly MigrationSource[],
): Promise<MigrationState> {
  const migrations = await chosen(sources)
  const rows = (await readRows(db)) ?? []
  const known = new Set(migrations.map(nameOf))
  const services = new Set(sources.map(({ service }) => service))
  return {
    pending: missing(rows, migrations).map(nameOf),
    newer: rows
      .filter(({ service }) => services.has(service))
      .map(nameOf)
      .filter((name) => !known.has(name)),
  }
}

async function chosen(
  sources: readonly MigrationSource[],
  only?: ReadonlySet<string>,
): Promise<Migration[]> {
  const all = (await Promise.all(sources.map(readMigrations))).flat()
  for (const name of only ?? [])
    if (!all.some((migration) => nameOf(migration) === name))
      throw new StartupError(
        `The backup has migration ${name}, which this Grove does not know: restore it with the version that made it, or a newer one.`,
      )
  return only ? all.filter((migration) => only.has(nameOf(migration))) : all
}

/** Undefined if nothing was ever migrated; `needs` is null in a database of an older release. */
async function readRows(db: QueryExecutorProvider): Promise<Row[] | undefined> {
  const { rows: found } = await sql<{ isThere: boolean }>`
    select to_regclass('grove.migration') is not null as "isThere"`.execute(db)
  if (!found[0]?.isThere) return undefined
  const { rows } = await sql<Row>`
    select service, name, sha256, (to_jsonb(migration) ->> 'needs')::int as needs
    from grove.migration as migration order by service, name`.execute(db)
  return rows
}

/**
 * The migrations that the database lacks. It may have more than this release knows: those of a newer
 * release, unless one of them removes something that this release uses.
 */
function missing(rows: readonly Row[], migrations: readonly Migration[]): Migration[] {
  const applied = new Map(rows.map((row) => [nameOf(row), row]))
  const known = new Set(migrations.map(nameOf))
  const last = new Map<string, number>()
  for (const { service, name } of migrations)
    last.set(service, Math.max(last.get(service) ?? 0, numberOf(name)))
  for (const row of rows) {
    const ends = last.get(row.service)
    if (ends === undefined || known.has(nameOf(row))) continue
    if (numberOf(row.name) <= ends)
      throw new StartupError(
        `The database has migration ${nameOf(row)}, which this Grove does not know: start the version that made it, or a newer one.`,
      )
    if (row.needs !== null && row.needs > ends)
      throw new StartupError(
        `The database is newer than this Grove: its migration ${nameOf(row)} needs a release with migration ${padded(row.needs)} of ${row.service}, and this one ends at ${padded(ends)}. Start a newer release.`,
      )
  }
  return migrations.filter((migration) => {
    const row = applied.get(nameOf(migration))
    if (row && row.sha256 !== migration.sha256)
      throw new StartupError(
        `Migration ${nameOf(migration)} was changed after it had been applied: restore the file and put the change into a new one.`,
      )
    return row === undefined
  })
}

const padded = (number: number) => String(number).padStart(4, '0')

/**
 * Of several processes that start together, the others wait for the first. They poll the lock: a
 * concurrent index build waits for every running statement, and thus also for one that waits for this
 * lock.
 */
async function takeLock(db: Kysely<Tables>, { say }: MigrateOptions): Promise<void> {
  for (let asked = 0; ; asked += 1) {
    const { rows } = await sql<{ isOurs: boolean }>`
      select pg_try_advisory_lock(${lockKey}) as "isOurs"`.execute(db)
    if (rows[0]?.isOurs) return
    if (asked === 0) say?.('Another process applies migrations; waiting for it.')
    await wait(lockPollMs)
  }
}

async function makeTable(db: Kysely<Tables>): Promise<void> {
  await sql`create schema if not exists grove`.execute(db)
  await sql`create table if not exists grove.migration (
    service text not null,
    name text not null,
    sha256 text not null,
    applied_at timestamptz not null default now(),
    primary key (service, name)
  )`.execute(db)
  // In databases of earlier releases it lacks this column.
  await sql`alter table grove.migration add column if not exists needs int`.execute(db)
}

interface Applying extends MigrateOptions {
  db: Db
}

async function apply(
  connection: Kysely<Tables>,
  migration: Migration,
  options: Applying,
): Promise<void> {
  try {
    await (migration.isConcurrent ? applyOutside : applyInTransaction)(
      connection,
      migration,
      options,
    )
  } catch (error) {
    if (error instanceof StartupError) throw error
    const cause = error instanceof Error ? error.message : String(error)
    throw new Error(`Migration ${nameOf(migration)} failed: ${cause}`, { cause: error })
  }
}

/** PostgreSQL's codes for a lock timeout and a deadlock. */
const lockCodes = ['55P03', '40P01']

async function applyInTransaction(
  connection: Kysely<Tables>,
  migration: Migration,
  options: Applying,
): Promise<void> {
  const { lockMs, tries, pauseMs } = { ...ordinaryPatience, ...options.patience }
  for (let attempt = 1; ; attempt += 1) {
    const waits = await watch(connection, options, lockMs / 2)
    try {
      return await connection.transaction().execute(async (tx) => {
        await sql`select set_config('lock_timeout', ${`${lockMs}ms`}, true)`.execute(tx)
        await sql.raw(migration.text).execute(tx)
        await record(tx, migration)
      })
    } catch (error) {
      if (!lockCodes.includes((error as { code?: string }).code ?? '')) throw error
      const what = `Migration ${nameOf(migration)} waited for ${waits?.seen() ?? 'a lock'}`
      if (attempt >= tries)
        throw new StartupError(
          `${what}, ${tries} times for ${lockMs / 1000} s each, and changed nothing. End what holds it, then run this again.`,
          { cause: error },
        )
      options.say?.(`${what}; trying again (${attempt} of ${tries}).`)
    } finally {
      waits?.stop()
    }
    await wait(pauseMs)
  }
}

/** Waits for every older transaction, however long; nothing waits for it. */
async function applyOutside(
  connection: Kysely<Tables>,
  migration: Migration,
  options: Applying,
): Promise<void> {
  const name = nameOf(migration)
  const statements = readIndexStatements(migration.text, name)
  const waits = await watch(connection, options, 1000, (seen) =>
    options.say?.(`Migration ${name} waits for ${seen}.`),
  )
  try {
    await applyIndexStatements(connection, statements)
    await record(connection, migration)
  } finally {
    waits?.stop()
  }
}

async function watch(
  connection: Kysely<Tables>,
  { db, isShared }: Applying,
  everyMs: number,
  say?: (seen: string) => void,
) {
  // The embedded database has one connection.
  if (!isShared) return undefined
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection)
  return rows[0] && watchLockWaits(db, rows[0].pid, { everyMs, ...(say && { say }) })
}

const record = (db: Kysely<Tables>, { service, name, sha256, needs }: Migration) =>
  db.insertInto('grove.migration').values({ service, name, sha256, needs }).execute()
