import { sampleDevice } from '../../apps/platform/src/sample/fleet-device.ts'
import { row, type Benchmark, type Row } from './benchmark.ts'
import { engineNames, engines, type Fleet } from './support/fleet.ts'
import { createSend, jsonOf } from './support/http-client.ts'
import { listCases, type ListCase } from './support/list-cases.ts'
import { startPlatform } from './support/server-process.ts'
import { createSignIn } from './support/sign-in.ts'
import { createRandom, percentile } from './support/statistics.ts'
import type { BenchContext } from './support/bench-context.ts'

const wholeFleet = 1_000_000
const warmUpRounds = 3
const worstShown = 10

export const listLatency: Benchmark = {
  name: 'list',
  title: 'Device list, one call at a time',
  how: '`GET /api/maple/device` over HTTP with an admin’s token, one call after another, from the call to the last byte of the answer. Groups are filters × sorts × pages, counts and searches; rounds go through all groups, so that each sample asks for another place of the fleet; a deep page starts behind a device chosen at random. The budget is held against the group with the largest p95. Filling is `npm run sample -- --devices N` on a new database, from its start to its end, by the run that filled the kept fleet; the test’s PostgreSQL has 256 MB of shared buffers and does not wait for the disk.',
  run: async (bench) => {
    const rows: Row[] = []
    const details: string[] = []
    for (const engine of engines) {
      const fleet = await bench.fleet(engine)
      rows.push(fillRow(fleet, bench.devices), await startRow(fleet, bench))
      const groups = await measureDevices(fleet, bench)
      rows.push(...deviceRows(fleet, groups))
      details.push(deviceTables(fleet, groups))
    }
    return { rows, details: details.join('\n\n') }
  },
}

interface Group {
  of: ListCase
  samples: number[]
}

export async function measureDevices(fleet: Fleet, bench: BenchContext): Promise<Group[]> {
  const { devices, isQuick, say } = bench
  const groups: Group[] = listCases().map((of) => ({ of, samples: [] }))
  const rounds = isQuick ? 5 : 200
  const random = createRandom(1)
  const now = Date.now()
  const server = await startPlatform(bench, fleet.env)
  const send = createSend(server.url)
  const signIn = createSignIn(send, 'admin')
  try {
    for (let round = -warmUpRounds; round < rounds; round += 1) {
      if (round % 50 === 0) say(`${engineNames[fleet.engine]}: round ${round} of ${rounds}`)
      for (const { of, samples } of groups) {
        const device = sampleDevice(Math.floor(random() * devices), now)
        const search = new URLSearchParams(
          Object.entries(of.query(device)).map(([name, value]) => [name, String(value)]),
        )
        const answer = await send('GET', `/api/maple/device?${search}`, { headers: await signIn() })
        const { items }: { items: unknown[] } = jsonOf(answer)
        // An empty page would measure nothing; only the ends of a rare filter may be empty.
        if (round === 0 && of.family === 'first page' && items.length === 0)
          throw new Error(`${of.family}, ${of.name}: no devices.`)
        if (round >= 0) samples.push(answer.milliseconds)
      }
    }
    return groups
  } finally {
    await server.stop()
  }
}

function fillRow({ engine, fillSeconds }: Fleet, devices: number): Row {
  const isBudgeted = engine === 'postgres' && devices >= wholeFleet
  return row(`fill ${devices} devices on ${engineNames[engine]}`, fillSeconds, 's', {
    budget: isBudgeted ? { atMost: 300 } : undefined,
    note: `${Math.round(devices / fillSeconds)} devices a second`,
  })
}

/** The second start, with accounts and tables in place; the fleet must not slow it. */
async function startRow(fleet: Fleet, bench: BenchContext): Promise<Row> {
  await (await startPlatform(bench, fleet.env)).stop()
  const started = performance.now()
  const server = await startPlatform(bench, fleet.env)
  const seconds = (performance.now() - started) / 1000
  await server.stop()
  return row(`warm start on ${engineNames[fleet.engine]} with the fleet`, seconds, 's', {
    budget: { atMost: 3 },
    note: 'without npm’s own share',
  })
}

export function deviceRows({ engine }: Fleet, groups: readonly Group[]): Row[] {
  const all = groups.flatMap(({ samples }) => samples)
  const [worst] = byP95(groups)
  if (!worst) throw new Error('There are no groups.')
  const name = engineNames[engine]
  const perGroup = `${groups.length} groups of ${worst.samples.length} samples`
  return [
    row(`all groups on ${name}, p50`, percentile(all, 0.5), 'ms', { note: perGroup }),
    row(`all groups on ${name}, p95`, percentile(all, 0.95), 'ms'),
    row(`worst group on ${name}, p95`, percentile(worst.samples, 0.95), 'ms', {
      budget: engine === 'postgres' ? { atMost: 50 } : undefined,
      note: `${worst.of.family}, ${worst.of.name}`,
    }),
  ]
}

const byP95 = (groups: readonly Group[]) =>
  groups.toSorted((a, b) => percentile(b.samples, 0.95) - percentile(a.samples, 0.95))

export function deviceTables({ description }: Fleet, groups: readonly Group[]): string {
  const families = [...new Set(groups.map(({ of }) => of.family))].map((family) => {
    const members = groups.filter(({ of }) => of.family === family)
    const samples = members.flatMap((group) => group.samples)
    const [worst] = byP95(members)
    return line([
      family,
      members.length,
      percentile(samples, 0.5).toFixed(1),
      percentile(samples, 0.95).toFixed(1),
      worst ? `${worst.of.name}: ${percentile(worst.samples, 0.95).toFixed(1)}` : '',
    ])
  })
  const slowest = byP95(groups)
    .slice(0, worstShown)
    .map(({ of, samples }) =>
      line([
        `${of.family}, ${of.name}`,
        percentile(samples, 0.5).toFixed(1),
        percentile(samples, 0.95).toFixed(1),
        Math.max(...samples).toFixed(1),
      ]),
    )
  return [
    `### ${description}`,
    '',
    line(['calls', 'groups', 'p50 ms', 'p95 ms', 'worst group, p95 ms']),
    '|---|--:|--:|--:|---|',
    ...families,
    '',
    line([`slowest ${worstShown} groups`, 'p50 ms', 'p95 ms', 'slowest ms']),
    '|---|--:|--:|--:|',
    ...slowest,
  ].join('\n')
}

const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
