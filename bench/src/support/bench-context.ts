import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFleet, type Engine, type Fleet } from './fleet.ts'

export interface Settings {
  /** Few samples: to test a benchmark, not to measure Grove. */
  isQuick: boolean
  devices: number
  /** Exchanges in the session log. */
  exchanges: number
  /** Also start a fresh clone. */
  isCold: boolean
  /** A PostgreSQL that already contains the fleet. */
  database?: string
}

/** Shared by the benchmarks of one run. */
export interface BenchContext extends Settings {
  /** A new temporary folder. */
  folder: (name: string) => Promise<string>
  /** A filled database, shared by all benchmarks of the run that request it. */
  fleet: (engine: Engine) => Promise<Fleet>
  atEnd: (task: () => Promise<void>) => void
  say: (text: string) => void
  /** Stops what still runs and removes the folders; idempotent. */
  close: () => Promise<void>
}

export function openBenchContext(settings: Settings): BenchContext {
  const tasks: (() => Promise<void>)[] = []
  let closing: Promise<void> | undefined
  // In reverse order: a server before its folder.
  const close = async () => {
    for (let task = tasks.pop(); task; task = tasks.pop()) await task()
  }
  const fleets = new Map<Engine, Promise<Fleet>>()
  const bench: BenchContext = {
    ...settings,
    folder: async (name) => {
      const folder = await mkdtemp(join(tmpdir(), `grove-bench-${name}-`))
      tasks.push(() => rm(folder, { recursive: true, force: true }))
      return folder
    },
    fleet: (engine) => {
      const fleet = fleets.get(engine) ?? openFleet(bench, engine)
      fleets.set(engine, fleet)
      return fleet
    },
    atEnd: (task) => void tasks.push(task),
    say: (text) => console.log(`  ${text}`),
    close: () => (closing ??= close()),
  }
  return bench
}
