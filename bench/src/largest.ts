import { deviceRows, deviceTables, measureDevices } from './list-latency.ts'
import type { Benchmark } from './benchmark.ts'
import { listRows, listTable, measureLists } from './maple-lists.ts'
import type { BenchContext } from './support/bench-context.ts'
import type { Fleet } from './support/fleet.ts'

/** The lists at the largest size that we promise; filling takes half an hour. */
export const largest: Benchmark = {
  name: 'largest',
  title: 'Lists and overview of ten million devices',
  how: 'The groups of the device list, the other lists and the overview, on PostgreSQL alone, with `--devices 9999999`: the sample’s ids have seven digits.',
  isLong: true,
  run: async (bench) => {
    const fleet = await filled(bench)
    const devices = await measureDevices(fleet, bench)
    const lists = await measureLists(fleet, bench)
    return {
      rows: [...deviceRows(fleet, devices), ...listRows(fleet, lists, bench)],
      details: [deviceTables(fleet, devices), listTable(fleet, lists)].join('\n\n'),
    }
  },
}

const filled = async (bench: BenchContext): Promise<Fleet> =>
  bench.database === undefined
    ? bench.fleet('postgres')
    : {
        engine: 'postgres',
        folder: await bench.folder('largest'),
        env: { GROVE_DATA: await bench.folder('largest'), DATABASE_URL: bench.database },
        fillSeconds: 0,
        description: 'PostgreSQL',
      }
