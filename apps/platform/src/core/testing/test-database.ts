import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import { Kysely, PostgresDialect } from 'kysely'
import { Client } from 'pg'
import { inject } from 'vitest'
import { openDatabase, openInMemory, type Database } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { readMigrations, type MigrationSource } from '../database/migration-files.ts'
import { openPglitePool } from '../database/pools.ts'

type Bytes = Uint8Array<ArrayBuffer>

const cache = fileURLToPath(new URL('../../../../../node_modules/.cache/grove/', import.meta.url))
const pgliteVersion = (() => {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  const manifest = readFileSync(join(dirname(entry), '../package.json'), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
})()

/** A fresh, migrated database for one test file, on the engine of its project. */
export function testDatabase(sources: MigrationSource[]): Promise<Database> {
  const engine = process.env['GROVE_TEST_ENGINE'] ?? 'pglite'
  return engine === 'postgres' ? postgresCopy(sources) : pgliteCopy(sources)
}

/** Changed migrations give the template another name. */
async function fingerprint(sources: MigrationSource[]): Promise<string> {
  const hash = createHash('sha256')
  for (const migration of (await Promise.all(sources.map(readMigrations))).flat()) {
    hash.update(`${migration.service}/${migration.name} ${migration.sha256}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}

async function pgliteCopy(sources: MigrationSource[]): Promise<Database> {
  const empty = await cached('empty', async () => {
    const db = await PGlite.create({ initDbStartParams: ['--wal-segsize=1'] })
    return dump(db)
  })
  if (sources.length === 0) return openInMemory(empty)
  const name = await fingerprint(sources)
  return openInMemory(await cached(name, () => migratedCopy(empty, sources)))
}

async function migratedCopy(empty: Bytes, sources: MigrationSource[]): Promise<Bytes> {
  const pglite = await PGlite.create({ loadDataDir: new Blob([empty]) })
  const pool = openPglitePool({
    probe: new Int32Array(2),
    connect: async ({ onReply }) => ({
      send: (bytes) => onReply(pglite.execProtocolRawSync(bytes)),
      end: () => {},
    }),
    close: () => pglite.close(),
  })
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  await migrate(db, sources)
  await db.destroy()
  return dump(pglite)
}

async function dump(db: PGlite): Promise<Bytes> {
  const tar = await db.dumpDataDir('none')
  await db.close()
  return new Uint8Array(await tar.arrayBuffer())
}

/** Test files run in separate processes: a file that two of them create appears atomically. */
async function cached(name: string, make: () => Promise<Bytes>): Promise<Bytes> {
  const file = join(cache, `${pgliteVersion}-${name}.tar`)
  const found = await readFile(file).catch(() => undefined)
  if (found) return new Uint8Array(found)
  const bytes = await make()
  await mkdir(cache, { recursive: true })
  const half = `${file}.${process.pid}`
  await writeFile(half, bytes)
  await rename(half, file)
  return bytes
}

async function postgresCopy(sources: MigrationSource[]): Promise<Database> {
  const server = new URL(inject('postgresUrl'))
  const template = `template_${await fingerprint(sources)}`
  const name = `test_${randomBytes(8).toString('hex')}`
  await onServer(server, async (admin) => {
    // Held until the connection ends: other test files wait for the first to create the template.
    await admin.query('select pg_advisory_lock(1)')
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [template])
    if (rowCount === 0) await makeTemplate(admin, server, template, sources)
    await admin.query(`create database ${name} template ${template}`)
  })
  const database = await openDatabase({ url: addressOf(server, name), folder: '' })
  return {
    ...database,
    async close() {
      await database.close()
      await onServer(server, (admin) => admin.query(`drop database if exists ${name} with (force)`))
    },
  }
}

async function makeTemplate(
  admin: Client,
  server: URL,
  template: string,
  sources: MigrationSource[],
) {
  // Migrated under another name, so that a failed one is never taken for a template.
  const unfinished = `${template}_unfinished`
  await admin.query(`drop database if exists ${unfinished}`)
  await admin.query(`create database ${unfinished}`)
  const database = await openDatabase({ url: addressOf(server, unfinished), folder: '' })
  try {
    await migrate(database.db, sources)
  } finally {
    await database.close()
  }
  await admin.query(`alter database ${unfinished} rename to ${template}`)
}

async function onServer(server: URL, work: (admin: Client) => Promise<unknown>) {
  const admin = new Client({ connectionString: server.href })
  await admin.connect()
  try {
    await work(admin)
  } finally {
    await admin.end()
  }
}

function addressOf(server: URL, database: string): string {
  return Object.assign(new URL(server), { pathname: `/${database}` }).href
}
