import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { sql, type Kysely } from 'kysely'
import { StartupError } from '../startup-error.ts'
import type { Db } from './database.ts'

/** Forward-only numbered SQL files of one service, such as `0001_products.sql`. */
export interface MigrationSource {
  service: string
  folder: URL
}

/** Tables of core, in the schema `platform`. */
export const platformMigrations: MigrationSource = {
  service: 'platform',
  folder: new URL('../migrations/', import.meta.url),
}

interface Migration {
  service: string
  name: string
  text: string
  sha256: string
}

type Tables = {
  'grove.migration': { service: string; name: string; sha256: string }
}

/** An arbitrary unique lock id; processes that start together wait for the first. */
const lockKey = 7_146_223

/**
 * Applies new migrations, each file in one transaction, and returns their names `service/name`.
 * `only` leaves out those newer than a backup.
 * @throws StartupError if one of `only` is unknown.
 */
export async function migrate(
  db: Db,
  sources: MigrationSource[],
  { only }: { only?: ReadonlySet<string> } = {},
): Promise<string[]> {
  const all = (await Promise.all(sources.map(readMigrations))).flat()
  const migrations = only ? all.filter((migration) => only.has(nameOf(migration))) : all
  for (const name of only ?? [])
    if (!migrations.some((migration) => nameOf(migration) === name))
      throw new StartupError(
        `The backup has migration ${name}, which this Grove does not know: restore it with the version that made it, or a newer one.`,
      )
  return db
    .withTables<Tables>()
    .connection()
    .execute(async (connection) => {
      // An index on a large table, or waiting for another process, may take long.
      await sql`set statement_timeout = 0`.execute(connection)
      await sql`select pg_advisory_lock(${lockKey})`.execute(connection)
      try {
        return await applyNew(connection, migrations, sources)
      } finally {
        await sql`select pg_advisory_unlock(${lockKey})`.execute(connection)
        await sql`reset statement_timeout`.execute(connection)
      }
    })
}

const nameOf = ({ service, name }: Migration): string => `${service}/${name}`

async function applyNew(db: Kysely<Tables>, migrations: Migration[], sources: MigrationSource[]) {
  await sql`create schema if not exists grove`.execute(db)
  await sql`create table if not exists grove.migration (
    service text not null,
    name text not null,
    sha256 text not null,
    applied_at timestamptz not null default now(),
    primary key (service, name)
  )`.execute(db)
  const rows = await db.selectFrom('grove.migration').selectAll().execute()
  const applied = new Map(rows.map((row) => [`${row.service}/${row.name}`, row.sha256]))

  const known = new Set(migrations.map((migration) => `${migration.service}/${migration.name}`))
  for (const row of rows) {
    const mine = sources.some((source) => source.service === row.service)
    if (mine && !known.has(`${row.service}/${row.name}`)) {
      throw new StartupError(
        `The database has migration ${row.service}/${row.name}, which this Grove does not know: start the version that made it, or a newer one.`,
      )
    }
  }

  const names: string[] = []
  for (const migration of migrations) {
    const name = `${migration.service}/${migration.name}`
    const sha256 = applied.get(name)
    if (sha256 === undefined) {
      await apply(db, migration)
      names.push(name)
    } else if (sha256 !== migration.sha256) {
      throw new StartupError(
        `Migration ${name} was changed after it had been applied: restore the file and put the change into a new one.`,
      )
    }
  }
  return names
}

async function apply(db: Kysely<Tables>, { service, name, text, sha256 }: Migration) {
  try {
    await db.transaction().execute(async (transaction) => {
      await sql.raw(text).execute(transaction)
      await transaction.insertInto('grove.migration').values({ service, name, sha256 }).execute()
    })
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    throw new Error(`Migration ${service}/${name} failed: ${cause}`, { cause: error })
  }
}

export async function readMigrations({ service, folder }: MigrationSource): Promise<Migration[]> {
  const base = folder.href.endsWith('/') ? folder : new URL(`${folder.href}/`)
  const names = (await readdir(base)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name, index) => {
      const number = String(index + 1).padStart(4, '0')
      if (!new RegExp(`^${number}_[a-z0-9_]+\\.sql$`).test(name)) {
        throw new StartupError(
          `Migration ${service}/${name} is out of order: the file in this place must be named ${number}_what_it_does.sql.`,
        )
      }
      const text = await readSql(new URL(name, base), service)
      return { service, name, text, sha256: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

/**
 * The text of a file with each line `-- include FILE` replaced by that file, whose `{schema}` is the
 * service's: the tables of every service are written once. The whole text is hashed, so an included
 * file must never be edited either.
 */
async function readSql(file: URL, schema: string): Promise<string> {
  // A checkout with Windows line endings is the same migration.
  const text = (await readFile(file, 'utf8')).replaceAll('\r\n', '\n')
  const [first = '', ...rest] = text.split(/^-- include (\S+)\n/m)
  const parts = [first]
  // The rest alternates between an included file's name and the text after it.
  for (const [index, part] of rest.entries())
    parts.push(index % 2 === 0 ? await readSql(new URL(part, file), schema) : part)
  return parts.join('').replaceAll('{schema}', schema)
}
