import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { Db } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import type { MigrationSource } from '../database/migration-files.ts'
import { readJson } from '../json-depth.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { StartupError } from '../startup-error.ts'
import { unpackBackup, type BackupContent, type BackupEntry } from './backup-file.ts'
import { readTables } from './dump-tables.ts'
import { setAside } from './set-aside.ts'
import type { BackupFacts } from './write-backup.ts'

interface RestoreTarget {
  db: Db
  objects: ObjectStore
  config: Pick<Config, 'dataFolder' | 'secret'>
  migrations: MigrationSource[]
}

/** Rows per statement, and their maximum length in characters (approximately). */
const rowsAtOnce = 5000
const lengthAtOnce = 4_000_000
/** PostgreSQL's code for a violated check, here that no partition fits a row. */
const noPartition = '23514'

/** Reads a backup to its end and verifies every hash. @throws StartupError if one differs. */
export const verifyBackup = (file: string, secret: string | undefined): Promise<BackupContent> =>
  unpackBackup(file, secret, async () => {})

/** Restores a backup into a database without tables and an empty folder; verify it first. */
export async function restoreBackup(file: string, target: RestoreTarget): Promise<void> {
  const { objects, config, migrations } = target
  let facts: BackupFacts | undefined
  await unpackBackup(file, config.secret, async (entry) => {
    if (entry.name === 'about') facts = readJson(await textOf(entry)) as BackupFacts
  })
  await migrate(target.db, migrations, { only: new Set(facts?.migrations) })
  await target.db.transaction().execute(async (db) => {
    // Building an index takes as long as it needs.
    await sql`set local statement_timeout = 0`.execute(db)
    await sql`set local maintenance_work_mem = '256MB'`.execute(db)
    const tables = await readTables(db)
    for (const { schema, table } of tables)
      await sql.raw(`alter table ${schema}.${table} disable trigger user`).execute(db)
    if (tables.length > 0)
      await sql
        .raw(`truncate ${tables.map(({ schema, table }) => `${schema}.${table}`).join(', ')}`)
        .execute(db)
    const putBack = await setAside(db, [...new Set(tables.map(({ schema }) => schema))])
    const known = new Set(tables.map(({ schema, table }) => `${schema}.${table}`))
    await unpackBackup(file, config.secret, async (entry) => {
      const [kind = '', name = ''] = entry.name.split(' ')
      if (kind === 'table') {
        if (!known.has(name))
          throw new StartupError(`The backup has a table ${name}, which this Grove does not know.`)
        await loadTable(db, name, entry)
      } else if (kind === 'object') await restoreObject(objects, name, entry)
      else if (kind === 'secret' && config.secret === undefined)
        await writeFile(join(config.dataFolder, 'secret'), await textOf(entry), {
          mode: 0o600,
          flush: true,
        })
    })
    await putBack()
    await setSequences(db)
    for (const { schema, table } of tables)
      await sql.raw(`alter table ${schema}.${table} enable trigger user`).execute(db)
  })
}

async function loadTable(db: Db, name: string, { content }: BackupEntry): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select quote_ident(attname) as name from pg_attribute
    where attrelid = ${name}::regclass and attnum > 0 and not attisdropped and attgenerated = ''
    order by attnum`.execute(db)
  const columns = sql.raw(rows.map((row) => row.name).join(', '))
  const table = sql.raw(name)
  const prepare = await findPreparation(db, name)
  const insert = async (lines: string[]) => {
    const given = `[${lines.join(',')}]`
    const run = () =>
      sql`insert into ${table} (${columns}) overriding system value
      select ${columns} from json_populate_recordset(null::${table}, ${given}::json)`.execute(db)
    if (prepare === undefined) return run()
    // Preparing takes as long as inserting, and most rows are of the same days.
    await sql`savepoint before_rows`.execute(db)
    await run().catch(async (error: unknown) => {
      if ((error as { code?: string }).code !== noPartition) throw error
      await sql`rollback to savepoint before_rows`.execute(db)
      await sql`select ${sql.raw(prepare)}(${given}::json)`.execute(db)
      await run()
    })
    return sql`release savepoint before_rows`.execute(db)
  }
  let lines: string[] = []
  let length = 0
  // The next rows are read and hashed while these are being stored.
  let storing: Promise<unknown> = Promise.resolve()
  const store = async () => {
    await storing
    storing = insert(lines)
    // It is awaited with the next rows, or at the end.
    storing.catch(() => {})
    lines = []
    length = 0
  }
  for await (const line of linesOf(content)) {
    lines.push(line)
    length += line.length
    if (lines.length === rowsAtOnce || length > lengthAtOnce) await store()
  }
  if (lines.length > 0) await store()
  await storing
}

/** A table whose rows need something first, such as partitions, has a function that creates it. */
async function findPreparation(db: Db, name: string): Promise<string | undefined> {
  const [schema = '', table = ''] = name.split('.')
  const wanted = `${schema}.prepare_${table}`
  const { rows } = await sql<{ isThere: boolean }>`
    select to_regprocedure(${`${wanted}(json)`}) is not null as "isThere"`.execute(db)
  return rows[0]?.isThere ? wanted : undefined
}

async function* linesOf(content: AsyncIterable<Buffer>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of content) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

async function restoreObject(
  objects: ObjectStore,
  sha256: string,
  { content }: BackupEntry,
): Promise<void> {
  const staged = await objects.stage(Readable.from(content))
  if (staged.sha256 !== sha256) {
    await staged.discard()
    throw new StartupError(`The file ${sha256} of the backup has other bytes than its name says.`)
  }
  await staged.keep()
}

/** New rows get numbers after those of the backup. */
async function setSequences(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string; column: string }>`
    select table_schema || '.' || table_name as name, column_name as column
    from information_schema.columns
    where is_identity = 'YES' and table_schema in (select service from grove.migration)`.execute(db)
  for (const { name, column } of rows)
    await sql`select setval(pg_get_serial_sequence(${name}, ${column}),
      (select coalesce(max(${sql.ref(column)}), 0) + 1 from ${sql.raw(name)}), false)`.execute(db)
}

const textOf = async ({ content }: BackupEntry): Promise<string> =>
  (await buffer(Readable.from(content))).toString()
