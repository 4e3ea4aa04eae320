import { startPostgres } from '../../../apps/platform/src/core/testing/postgres-server.ts'
import { runProgram, type Environment } from './server-process.ts'
import type { BenchContext } from './bench-context.ts'

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

/** Fills a new database as `npm run sample` does. */
export async function fillFleet(bench: BenchContext, engine: Engine): Promise<Fleet> {
  const folder = await bench.folder(`fleet-${engine}`)
  const server = engine === 'postgres' ? await startPostgres() : undefined
  if (server) bench.atEnd(server.stop)
  const env = { GROVE_DATA: folder, DATABASE_URL: server?.url ?? '' }
  bench.say(`filling ${bench.devices} devices on ${engineNames[engine]}`)
  const started = performance.now()
  await runProgram('apps/platform/src/sample/main.ts', ['--devices', `${bench.devices}`], env)
  const fillSeconds = (performance.now() - started) / 1000
  const description = server ? server.description.replace(/,.*/, '') : 'PGlite, embedded'
  return { engine, folder, env, fillSeconds, description }
}
