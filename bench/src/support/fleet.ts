import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { openDatabase } from '../../../apps/platform/src/core/database/database.ts'
import {
  startCopy,
  startPostgres,
} from '../../../apps/platform/src/core/testing/postgres-server.ts'
import { root } from '../../../scripts/workspace.mjs'
import { runProgram, type Environment } from './server-process.ts'
import type { BenchContext } from './bench-context.ts'

const run = promisify(execFile)

export const engines = ['postgres', 'pglite'] as const
export type Engine = (typeof engines)[number]
export const engineNames = { postgres: 'PostgreSQL', pglite: 'PGlite' } as const

/** A database with the sample fleet. */
export interface Fleet {
  engine: Engine
  folder: string
  /** The platform's settings for it. */
  env: Environment
  fillSeconds: number
  /** Identifies the database. */
  description: string
}

const sources = join(root, 'apps/platform/src')
const keptFleets = join(root, 'bench/.fleets')

/**
 * A copy of the fleet that an earlier run filled, vacuumed and kept in `bench/.fleets`; filled now if
 * there is none of that size, or if migrations or the sample have changed since.
 */
export async function openFleet(bench: BenchContext, engine: Engine): Promise<Fleet> {
  const name = `${engine}-${bench.devices}`
  const kept = join(keptFleets, `${name}-${await fingerprint()}`)
  if (!existsSync(kept)) {
    await removeKept(name)
    await fillFleet(bench, engine, kept)
  }
  const folder = join(await bench.folder(`fleet-${engine}`), 'data')
  await run('cp', ['-a', join(kept, 'data'), folder])
  const server = engine === 'postgres' ? await startCopy(join(kept, 'postgres')) : undefined
  if (server) bench.atEnd(server.stop)
  // Otherwise the copied files would be written to disk during the measurements.
  await run('sync')
  const { fillSeconds } = JSON.parse(await readFile(join(kept, 'fill.json'), 'utf8')) as Fill
  return {
    engine,
    folder,
    env: { GROVE_DATA: folder, DATABASE_URL: server?.url ?? '' },
    fillSeconds,
    description: server ? server.description.replace(/,.*/, '') : 'PGlite, embedded',
  }
}

type Fill = Pick<Fleet, 'fillSeconds'>

/** Fills a new database as `npm run sample` does. */
async function fillFleet(bench: BenchContext, engine: Engine, kept: string): Promise<void> {
  const unfinished = `${kept}.part`
  const folder = join(unfinished, 'data')
  await mkdir(folder, { recursive: true })
  const server = engine === 'postgres' ? await startPostgres() : undefined
  if (server) bench.atEnd(server.stop)
  bench.say(`filling ${bench.devices} devices on ${engineNames[engine]}`)
  const started = performance.now()
  await runProgram('apps/platform/src/sample/main.ts', ['--devices', `${bench.devices}`], {
    GROVE_DATA: folder,
    DATABASE_URL: server?.url ?? '',
  })
  const fill: Fill = { fillSeconds: (performance.now() - started) / 1000 }
  const { db, close } = await openDatabase({ folder, ...(server && { url: server.url }) })
  await sql`vacuum analyze`.execute(db)
  await close()
  await server?.keep(join(unfinished, 'postgres'))
  await writeFile(join(unfinished, 'fill.json'), JSON.stringify(fill))
  await rename(unfinished, kept)
}

/** Of the files that determine the contents of a filled database. */
async function fingerprint(): Promise<string> {
  const files = await readdir(sources, { recursive: true })
  const hash = createHash('sha256')
  for (const file of files.filter((each) =>
    /\/(migrations|sample)\/.*\.(ts|sql)$/.test(`/${each}`),
  ))
    hash.update(file).update(await readFile(join(sources, file)))
  return hash.digest('hex').slice(0, 12)
}

/** Earlier fleets of an engine and size, unfinished ones included. */
async function removeKept(name: string): Promise<void> {
  const all = await readdir(keptFleets).catch(() => [])
  for (const each of all.filter((one) => one.startsWith(`${name}-`)))
    await rm(join(keptFleets, each), { recursive: true, force: true })
}
