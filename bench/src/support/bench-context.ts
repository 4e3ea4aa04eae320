import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillFleet, type Engine, type Fleet } from './fleet.ts'

export interface Settings {
  /** Few samples: to see that a benchmark works, not how fast Grove is. */
  isQuick: boolean
  devices: number
  /** Exchanges in the log of sessions. */
  exchanges: number
  /** Also start a fresh clone. */
  isCold: boolean
  /** A PostgreSQL that holds the fleet already. */
  database?: string
}

/** What the benchmarks of one run share. */
export interface BenchContext extends Settings {
  /** A new temporary folder. */
  folder: (name: string) => Promise<string>
  /** A filled database, the same one for every benchmark that asks. */
  fleet: (engine: Engine) => Promise<Fleet>
  atEnd: (task: () => Promise<void>) => void
  say: (text: string) => void
  /** Stops what is left running and removes the folders; may be called again. */
  close: () => Promise<void>
}

export function openBenchContext(settings: Settings): BenchContext {
  const tasks: (() => Promise<void>)[] = []
  let closing: Promise<void> | undefined
  // The last made goes first: a server before its folder.
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
      const fleet = fleets.get(engine) ?? fillFleet(bench, engine)
      fleets.set(engine, fleet)
      return fleet
    },
    atEnd: (task) => void tasks.push(task),
    say: (text) => console.log(`  ${text}`),
    close: () => (closing ??= close()),
  }
  return bench
}
