import autocannon from 'autocannon'
import { availableParallelism } from 'node:os'
import { freePort } from '../../apps/platform/src/core/testing/free-port.ts'
import { hasHaproxy, startHaproxy } from '../../apps/platform/src/core/testing/haproxy.ts'
import { hasPgbouncer, startPgbouncer } from '../../apps/platform/src/core/testing/pgbouncer.ts'
import { row, type Benchmark, type Row } from './benchmark.ts'
import type { BenchContext } from './support/bench-context.ts'
import type { Fleet } from './support/fleet.ts'
import { createSend } from './support/http-client.ts'
import { startPlatform, type ServerProcess } from './support/server-process.ts'
import { createSignIn } from './support/sign-in.ts'
import { median } from './support/statistics.ts'

const connections = 32
const sizes = (isQuick: boolean) =>
  isQuick ? { seconds: 1, rounds: 1 } : { seconds: 5, rounds: 7 }

export const scale: Benchmark = {
  name: 'scale',
  title: 'Several processes, and a pooler',
  how: `Three processes with the role \`web\` behind HAProxy, with the settings of our example, against one of them without it: \`GET /api/user/info\`, which checks a token and reads one row, loaded in turns by autocannon with ${connections} connections in this process; medians of the rounds. Load and servers share the cores, so what the load took of the processor time of all cores is left out of both. PgBouncer: the list of 50 devices by a process behind PgBouncer in transaction mode against one that asks PostgreSQL directly, in turns; the median of each round’s share.`,
  isLong: true,
  run: async (bench) => {
    const fleet = await bench.fleet('postgres')
    return {
      rows: [...(await measureProcesses(bench, fleet)), ...(await measurePooler(bench, fleet))],
    }
  },
}

/** Without recurring work, and without a limit for the load. */
const settings = { GROVE_ROLES: 'web', GROVE_TRUST_PROXY: 'on', GROVE_LOG: 'error' }

async function measureProcesses(bench: BenchContext, { env }: Fleet): Promise<Row[]> {
  if (!hasHaproxy) return []
  const { seconds, rounds } = sizes(bench.isQuick)
  const ports = [await freePort(), await freePort(), await freePort()] as const
  const servers: ServerProcess[] = []
  for (const port of ports)
    servers.push(await startPlatform(bench, { ...env, ...settings, GROVE_PORT: String(port) }))
  const balancer = await startHaproxy(ports)
  bench.atEnd(() => balancer.stop())
  const one = servers[0]?.url ?? ''
  const signIn = createSignIn(createSend(one), 'admin')
  const measure = async (url: string) => load(`${url}/api/user/info`, seconds, await signIn())
  await measure(one)
  await measure(balancer.url)
  const found: { one: number; three: number }[] = []
  for (let round = 0; round < rounds; round += 1)
    found.push({ one: await measure(one), three: await measure(balancer.url) })
  for (const server of servers) await server.stop()
  await balancer.stop()
  const of = (name: 'one' | 'three') => median(found.map((round) => round[name]))
  return [
    row('three processes against one', median(found.map(({ one, three }) => three / one)), '×', {
      budget: { atLeast: 1.8 },
      note: `${of('three').toFixed(0)} against ${of('one').toFixed(0)} requests a second, the load set apart`,
    }),
  ]
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
    load(`${url}/api/maple/device?limit=50`, seconds, await signIn())
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

/** Requests a second, without the time that the load took of all cores. */
async function load(url: string, duration: number, headers: Record<string, string>) {
  const before = process.cpuUsage()
  const started = performance.now()
  const result = await autocannon({ url, connections, duration, headers })
  const took = performance.now() - started
  const { user, system } = process.cpuUsage(before)
  const failed = result.non2xx + result.errors + result.timeouts
  if (failed > 0) throw new Error(`${failed} calls of ${url} failed.`)
  const own = (user + system) / 1000 / availableParallelism()
  return result['2xx'] / ((took - own) / 1000)
}
