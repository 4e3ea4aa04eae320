import { setTimeout as pause } from 'node:timers/promises'
import { startPostgres } from '../../../apps/platform/src/core/testing/postgres-server.ts'
import { row, type Benchmark, type Row } from '../benchmark.ts'
import { median } from '../support/statistics.ts'
import { floods } from './floods.ts'
import { openPlace } from './place.ts'
import { openProbes } from './probes.ts'

/** The budget: latency during a flood, relative to latency alone. */
const budget = { atMost: 3 }
/** What a flood may add to the process's memory, in MB. */
const memoryBudget = { atMost: 400 }

const sizes = (isQuick: boolean) =>
  isQuick ? { rounds: 3, warmMs: 2000 } : { rounds: 5, warmMs: 5000 }

export const fairnessBenchmark: Benchmark = {
  name: 'fairness',
  title: 'One provider beside another that floods',
  how: 'The whole platform in one process on PostgreSQL. One service provider floods in each of these ways in turn: 96 deliveries whose receiver never answers, imports of 400,000 rows one after another, 24 runs of a script that computes for ever, 96 deliveries that compute for ever, 96 that try a regular expression without an end, 96 to names that nobody answers, 20 connections at a time that show wrong secrets, 505 that say nothing to the port of TLS, 300 that never read a file of eight megabytes of a preview. Once the flood has run for five seconds, another service provider does, in turns and as medians of five rounds: a delivery of its handler, from when it is written until it has ended; the check of a file of 200 rows; a script of one line on a software card; the list of its devices; the connection of a device from an address of its own until it is open, plain and by TLS. Beside what each took before the floods, in the same process. Memory is what the process has more than before the flood.',
  isLong: true,
  run: async (bench) => {
    const server = await startPostgres()
    bench.atEnd(server.stop)
    const place = await openPlace(bench, {
      DATABASE_URL: server.url,
      GROVE_DATA: await bench.folder('fairness'),
    })
    const probes = await openProbes(place)
    const { rounds, warmMs } = sizes(bench.isQuick)
    const measure = async () => {
      const times = Object.fromEntries(Object.keys(probes).map((name) => [name, [] as number[]]))
      for (let round = 0; round < rounds; round++)
        for (const [name, probe] of Object.entries(probes)) times[name]?.push(await probe())
      return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]))
    }
    bench.say('alone')
    await measure()
    const alone = await measure()
    const rows: Row[] = Object.entries(alone).map(([name, ms]) => row(`${name}, alone`, ms, 'ms'))
    for (const [name, begin] of Object.entries(floods(place))) {
      bench.say(name)
      const before = await place.platform.memory()
      const end = await begin()
      await pause(warmMs)
      const beside = await measure()
      const after = await place.platform.memory()
      await end()
      for (const [what, ms] of Object.entries(beside))
        rows.push(
          row(`${what}, beside ${name}`, ms / (alone[what] ?? Number.NaN), '×', {
            budget,
            note: `${ms.toFixed(1)} ms`,
          }),
        )
      if (before !== undefined && after !== undefined)
        rows.push(row(`memory, beside ${name}`, after - before, 'MB', { budget: memoryBudget }))
    }
    return { rows }
  },
}
