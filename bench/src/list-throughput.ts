import autocannon from 'autocannon'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { row, type Benchmark, type Row } from './benchmark.ts'
import { engineNames, engines, type Engine } from './support/fleet.ts'
import { createSend } from './support/http-client.ts'
import { startPlatform, startServer, type ServerProcess } from './support/server-process.ts'
import { createSignIn } from './support/sign-in.ts'
import { median } from './support/statistics.ts'
import type { BenchContext } from './support/bench-context.ts'

const connections = 32
// What the console requests, and the size at which other servers are measured.
const limits = [50, 20]

export const listThroughput: Benchmark = {
  name: 'throughput',
  title: 'Device list under load',
  how: `\`GET /api/maple/device\` with an admin’s token against a bare Fastify route that calls the same list function and has nothing else, each server a process of its own, loaded in turns by autocannon with ${connections} connections in a third process; figures are medians of the rounds, the share is the median of each round’s share. Views: lists of 20 of the platform on PostgreSQL, each loaded in turns with the others; a prefix is the beginning of a tenth of the names. On PGlite, which one process holds alone, the bare server has a copy of the data folder.`,
  run: async (bench) => {
    const rows: Row[] = []
    for (const engine of engines) rows.push(...(await compare(bench, engine)))
    return { rows }
  },
}

async function compare(bench: BenchContext, engine: Engine): Promise<Row[]> {
  const { env, folder } = await bench.fleet(engine)
  const copy = await bench.folder('copy')
  if (engine === 'pglite')
    await cp(join(folder, 'database'), join(copy, 'database'), { recursive: true })
  const servers: ServerProcess[] = []
  try {
    const platform = await startPlatform(bench, env)
    servers.push(platform)
    const bare = await startServer(
      bench,
      'bench/src/support/bare-server.ts',
      { ...env, GROVE_DATA: copy },
      /Bare server: (\S+)/,
    )
    servers.push(bare)
    const rows: Row[] = []
    for (const limit of limits) rows.push(await compareList(bench, engine, limit, platform, bare))
    if (engine === 'postgres') rows.push(...(await compareViews(bench, platform)))
    return rows
  } finally {
    for (const server of servers) await server.stop()
    await rm(copy, { recursive: true, force: true })
  }
}

async function compareList(
  { isQuick, say }: BenchContext,
  engine: Engine,
  limit: number,
  platform: ServerProcess,
  bare: ServerProcess,
): Promise<Row> {
  const name = `list of ${limit} on ${engineNames[engine]}`
  const seconds = isQuick ? 1 : 6
  const signIn = createSignIn(createSend(platform.url), 'admin')
  const authenticated = async (duration: number) =>
    load(`${platform.url}/api/maple/device?limit=${limit}`, duration, await signIn())
  const alone = (duration: number) => load(`${bare.url}/?limit=${limit}`, duration, {})
  await authenticated(seconds / 2)
  await alone(seconds / 2)
  const rounds: { platform: number; bare: number }[] = []
  for (let round = 0; round < (isQuick ? 1 : 7); round += 1) {
    // The first one inherits the other's effects on the machine: alternate.
    if (round % 2 === 0) {
      const platform = await authenticated(seconds)
      rounds.push({ platform, bare: await alone(seconds) })
    } else {
      const bare = await alone(seconds)
      rounds.push({ platform: await authenticated(seconds), bare })
    }
  }
  const ours = median(rounds.map((round) => round.platform))
  const theirs = median(rounds.map((round) => round.bare))
  say(`${name}: ${ours.toFixed(0)} of ${theirs.toFixed(0)} requests/s`)
  return row(name, median(rounds.map((round) => (round.platform / round.bare) * 100)), '%', {
    budget: { atLeast: 70 },
    note: `${ours.toFixed(0)} of ${theirs.toFixed(0)} requests/s`,
  })
}

const views = {
  'one type': 'type=iot&sort=name',
  'no filter, by name': 'sort=name',
  'prefix of a name': 'sort=name&q=Parking',
}

/** The same list with other queries: none of them may cost much more than another. */
async function compareViews(
  { isQuick, say }: BenchContext,
  platform: ServerProcess,
): Promise<Row[]> {
  const signIn = createSignIn(createSend(platform.url), 'admin')
  const seconds = isQuick ? 1 : 5
  const rounds: Record<keyof typeof views, number>[] = []
  const rateOf = async (query: string) =>
    load(`${platform.url}/api/maple/device?limit=20&${query}`, seconds, await signIn())
  await rateOf(views['one type'])
  for (let round = 0; round < (isQuick ? 1 : 5); round += 1)
    rounds.push({
      'one type': await rateOf(views['one type']),
      'no filter, by name': await rateOf(views['no filter, by name']),
      'prefix of a name': await rateOf(views['prefix of a name']),
    })
  const of = (name: keyof typeof views) => median(rounds.map((round) => round[name]))
  const one = of('one type')
  say(`one type: ${one.toFixed(0)} requests/s`)
  return [
    row('no filter, by name', of('no filter, by name'), 'requests/s', {
      budget: { atLeast: Math.round(one * 0.9) },
      note: `one type: ${one.toFixed(0)} requests/s`,
    }),
    row('prefix of a name', of('prefix of a name'), 'requests/s', { budget: { atLeast: 600 } }),
  ]
}

async function load(url: string, duration: number, headers: Record<string, string>) {
  const result = await autocannon({ url, connections, duration, headers })
  const failed = result.non2xx + result.errors + result.timeouts
  if (failed > 0) throw new Error(`${failed} calls of ${url} failed.`)
  return result['2xx'] / result.duration
}
