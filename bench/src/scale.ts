import autocannon from 'autocannon'
import { availableParallelism } from 'node:os'
import { freePort } from '../../apps/platform/src/core/testing/free-port.ts'
import { hasHaproxy, startHaproxy } from '../../apps/platform/src/core/testing/haproxy.ts'
import { hasPgbouncer, startPgbouncer } from '../../apps/platform/src/core/testing/pgbouncer.ts'
import { row, type Benchmark, type Row } from './benchmark.ts'
import type { BenchContext } from './support/bench-context.ts'
import type { Fleet } from './support/fleet.ts'
import { createSend } from './support/http-client.ts'
import { startPlatform, treeProcessorTimeOf, type ServerProcess } from './support/server-process.ts'
import { createSignIn } from './support/sign-in.ts'
import { median } from './support/statistics.ts'

const connections = 32
const sizes = (isQuick: boolean) =>
  isQuick ? { seconds: 1, rounds: 1 } : { seconds: 5, rounds: 7 }

export const scale: Benchmark = {
  name: 'scale',
  title: 'Several processes, and a pooler',
  how: `Three processes with the role \`web\` behind HAProxy, with the settings of our example, against one of them without it, loaded in turns by autocannon with ${connections} connections in this process; medians of the rounds. Load, database and servers share two cores here, so the comparison is computed: one process takes one core at most, three with HAProxy two, and the processor time that a request takes of them is measured under load; the database’s is left out. The smallest call is \`GET /api/user/info\`. PgBouncer: the list by a process behind PgBouncer in transaction mode against one that asks PostgreSQL directly, in turns; what the load took of the processor time of all cores is left out of both, and the result is the median of each round’s share.`,
  isLong: true,
  run: async (bench) => {
    const fleet = await bench.fleet('postgres')
    return {
      rows: [...(await measureProcesses(bench, fleet)), ...(await measurePooler(bench, fleet))],
    }
  },
}

/** Without recurring work. */
const settings = { GROVE_ROLES: 'web', GROVE_LOG: 'error' }

async function measureProcesses(bench: BenchContext, { env }: Fleet): Promise<Row[]> {
  if (!hasHaproxy) return []
  const { seconds, rounds } = sizes(bench.isQuick)
  const ports = [await freePort(), await freePort(), await freePort()] as const
  const servers: ServerProcess[] = []
  for (const port of ports)
    servers.push(
      await startPlatform(bench, {
        ...env,
        ...settings,
        GROVE_TRUST_PROXY: 'on',
        GROVE_PORT: String(port),
      }),
    )
  const balancer = await startHaproxy(ports)
  bench.atEnd(() => balancer.stop())
  const one = servers[0]?.url ?? ''
  // Behind a proxy the sample's accounts are closed; a process without one opens them again.
  const direct = await startPlatform(bench, { ...env, ...settings })
  const headers = await createSignIn(createSend(direct.url), 'admin')()
  await direct.stop()
  /** CPU time of all processes involved in an answer, in milliseconds per request. */
  const measure = async (origin: string, path: string) => {
    const timeOf = async () => {
      const each = servers.map(async (server) => (await server.processorTime()) ?? Number.NaN)
      const balancing = origin === balancer.url ? await treeProcessorTimeOf(balancer.pid ?? 0) : 0
      return (await Promise.all(each)).reduce((sum, ms) => sum + ms, balancing)
    }
    const before = await timeOf()
    const { requests } = await load(`${origin}${path}`, seconds, headers)
    return ((await timeOf()) - before) / requests
  }
  const compare = async (name: string, path: string, budget?: Row['budget']): Promise<Row> => {
    await measure(one, path)
    await measure(balancer.url, path)
    const found: { one: number; three: number }[] = []
    for (let round = 0; round < rounds; round += 1)
      found.push({ one: await measure(one, path), three: await measure(balancer.url, path) })
    const of = (each: 'one' | 'three') => median(found.map((round) => round[each]))
    return row(
      `three processes on two cores against one: ${name}`,
      (2 * of('one')) / of('three'),
      '×',
      {
        ...(budget && { budget }),
        note: `${of('three').toFixed(3)} ms of processor time a request with HAProxy’s, ${of('one').toFixed(3)} without`,
      },
    )
  }
  const compared = [
    await compare('a list of 50 devices', '/api/maple/device?limit=50', { atLeast: 1.8 }),
    await compare('the smallest call', '/api/user/info'),
  ]
  for (const server of servers) await server.stop()
  await balancer.stop()
  return compared
}

async function measurePooler(bench: BenchContext, { env }: Fleet): Promise<Row[]> {
  if (!hasPgbouncer) return []
  const { seconds, rounds } = sizes(bench.isQuick)
  const databaseUrl = env['DATABASE_URL'] ?? ''
  const pooler = await startPgbouncer(databaseUrl)
  bench.atEnd(() => pooler.stop())
  const direct = await startPlatform(bench, { ...env, ...settings })
  const pooled = await startPlatform(bench, {
    ...env,
    ...settings,
    DATABASE_URL: pooler.url,
    DATABASE_DIRECT_URL: databaseUrl,
  })
  const signIn = createSignIn(createSend(direct.url), 'admin')
  const measure = async ({ url }: ServerProcess) =>
    (await load(`${url}/api/maple/device?limit=50`, seconds, await signIn())).perSecond
  await measure(direct)
  await measure(pooled)
  const found: { direct: number; pooled: number }[] = []
  for (let round = 0; round < rounds; round += 1) {
    // The first one inherits the other's effects on the machine: alternate.
    if (round % 2 === 0)
      found.push({ direct: await measure(direct), pooled: await measure(pooled) })
    else {
      const ofPooled = await measure(pooled)
      found.push({ direct: await measure(direct), pooled: ofPooled })
    }
  }
  await direct.stop()
  await pooled.stop()
  await pooler.stop()
  const of = (name: 'direct' | 'pooled') => median(found.map((round) => round[name]))
  return [
    row(
      'a list through PgBouncer against direct',
      median(found.map(({ direct, pooled }) => (pooled / direct) * 100)),
      '%',
      {
        budget: { atLeast: 90 },
        note: `${of('pooled').toFixed(0)} against ${of('direct').toFixed(0)} requests a second, the load set apart`,
      },
    ),
  ]
}

/** The number of answers, and their rate without the load generator's share of all cores. */
async function load(url: string, duration: number, headers: Record<string, string>) {
  const before = process.cpuUsage()
  const started = performance.now()
  const result = await autocannon({ url, connections, duration, headers })
  const took = performance.now() - started
  const { user, system } = process.cpuUsage(before)
  const failed = result.non2xx + result.errors + result.timeouts
  if (failed > 0) throw new Error(`${failed} calls of ${url} failed.`)
  const own = (user + system) / 1000 / availableParallelism()
  const requests = result['2xx']
  return { requests, perSecond: requests / ((took - own) / 1000) }
}
