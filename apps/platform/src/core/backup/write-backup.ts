import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { Db } from '../database/database.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { packBackup, type BackupEntry } from './backup-file.ts'
import { dumpTables } from './dump-tables.ts'

interface BackupSource {
  db: Db
  objects: ObjectStore
  config: Pick<Config, 'dataFolder' | 'secret'>
}

/** What went into a backup. */
export interface BackupFacts {
  createdAt: string
  /** `service/name` of the migrations applied to its tables. */
  migrations: string[]
}

/**
 * Database, objects and the data folder's secret as one stream, while the platform serves. Every
 * object that a row refers to is included: existing ones are copied before the rows are read, and
 * those that arrive meanwhile afterwards.
 */
export const writeBackup = (source: BackupSource): Readable =>
  packBackup(entriesOf(source), source.config.secret)

async function* entriesOf({
  db,
  objects,
  config,
}: BackupSource): AsyncGenerator<BackupEntry, void> {
  yield text('about', JSON.stringify(await readFacts(db)))
  const copied = new Set<string>()
  yield* objectsOf(objects, copied)
  const folder = await mkdtemp(join(config.dataFolder, 'backup-'))
  try {
    for (const { name, file } of await dumpTables(db, folder))
      yield { name: `table ${name}`, content: createReadStream(file) as AsyncIterable<Buffer> }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  yield* objectsOf(objects, copied)
  if (config.secret === undefined) {
    const secret = await readFile(join(config.dataFolder, 'secret'), 'utf8').catch(() => '')
    if (secret !== '') yield text('secret', secret)
  }
}

async function* objectsOf(
  objects: ObjectStore,
  copied: Set<string>,
): AsyncGenerator<BackupEntry, void> {
  for await (const sha256 of objects.list()) {
    if (copied.has(sha256)) continue
    copied.add(sha256)
    const object = await objects.read(sha256)
    // Removed since it was listed: nothing refers to it.
    if (object) yield { name: `object ${sha256}`, content: object.stream as AsyncIterable<Buffer> }
  }
}

async function readFacts(db: Db): Promise<BackupFacts> {
  const { rows } = await sql<{ name: string }>`
    select service || '/' || name as name from grove.migration order by 1`.execute(db)
  return { createdAt: new Date().toISOString(), migrations: rows.map(({ name }) => name) }
}

const text = (name: string, value: string): BackupEntry => ({
  name,
  content: (async function* () {
    yield Buffer.from(value)
  })(),
})
