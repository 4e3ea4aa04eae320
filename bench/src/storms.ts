import { setTimeout as pause } from 'node:timers/promises'
import { startPostgres } from '../../apps/platform/src/core/testing/postgres-server.ts'
import { row, type Benchmark, type Row } from './benchmark.ts'
import { engineNames, engines, type Engine } from './support/fleet.ts'
import { createSend, jsonOf } from './support/http-client.ts'
import { startPlatform, type ServerProcess } from './support/server-process.ts'
import { createSignIn } from './support/sign-in.ts'
import { percentile } from './support/statistics.ts'
import { startStorm } from './support/start-storm.ts'
import type { BenchContext } from './support/bench-context.ts'

const storms = {
  refreshes: '600 connections of forged refreshes',
  trickles: '1500 bodies that trickle in',
  uploads: '80 uploads that are held',
} as const

const budgets = {
  postgres: { list: 50, idle: 170 },
  pglite: { list: 150, idle: 420 },
} as const

const networkCounts = [1, 32]

export const stormsBenchmark: Benchmark = {
  name: 'storms',
  title: 'Storms',
  how: `The platform with its sample workspace, and beside it a process that rages: 600 connections that send forged refresh tokens as fast as they are answered, 1500 sign-ins whose bodies come a byte a second, or 80 packages of one account that come a kilobyte a second; whatever is refused is tried again after 100 ms. From one address, of which the platform takes 512 connections, and from ${networkCounts.at(-1)} networks of the loopback. Meanwhile a developer asks for the list of products, one call after the other with 20 ms between them; p95, and what it is without a storm. Memory: resident size of the server’s process tree, of PostgreSQL’s not; idle before the storms, and a minute after them all.`,
  run: async (bench) => {
    const rows: Row[] = []
    for (const engine of engines) rows.push(...(await underStorms(bench, engine)))
    return { rows }
  },
}

async function underStorms(bench: BenchContext, engine: Engine): Promise<Row[]> {
  const postgres = engine === 'postgres' ? await startPostgres() : undefined
  if (postgres) bench.atEnd(postgres.stop)
  const env = {
    GROVE_DATA: await bench.folder('storms'),
    DATABASE_URL: postgres?.url ?? '',
    GROVE_LOG: 'error',
  }
  // The first start creates the samples; people start an existing workspace.
  await (await startPlatform(bench, env)).stop()
  const server = await startPlatform(bench, env)
  const settle = bench.isQuick ? 5000 : 60_000
  const seconds = bench.isQuick ? 4 : 12
  const name = engineNames[engine]
  const budget = budgets[engine]
  try {
    await pause(settle)
    const idle = await server.treeMemory()
    const ask = await developer(server)
    await listTimes(ask, 2)
    const quiet = percentile(await listTimes(ask, seconds), 0.95)
    const rows: Row[] = [row(`list without a storm on ${name}, p95`, quiet, 'ms')]
    for (const kind of Object.keys(storms) as (keyof typeof storms)[])
      for (const networks of networkCounts) {
        const storm = await startStorm(server.url, kind, networks)
        // Time for all to connect.
        await pause(3000)
        const before = await storm.answers()
        const times = await listTimes(ask, seconds)
        const answers = (await storm.answers()) - before
        storm.stop()
        rows.push(
          row(
            `${storms[kind]}, ${networks === 1 ? 'one address' : `${networks} networks`}, on ${name}`,
            percentile(times, 0.95),
            'ms',
            {
              budget: { atMost: budget.list },
              note: `p95 of ${times.length}; median ${percentile(times, 0.5).toFixed(1)} ms, slowest ${Math.max(...times).toFixed(0)} ms; ${Math.round(answers / seconds)} answers/s to the storm`,
            },
          ),
        )
        bench.say(`${kind}, ${networks}: ${percentile(times, 0.95).toFixed(1)} ms`)
        await pause(1000)
      }
    const height = await server.treeMemory()
    await pause(settle)
    const after = await server.treeMemory()
    // Measured if the system has /proc.
    if (idle === undefined || height === undefined || after === undefined) return rows
    return [
      ...rows,
      row(`idle memory on ${name}`, idle, 'MB', { budget: { atMost: budget.idle } }),
      row(`memory a minute after the storms, above idle, on ${name}`, after - idle, 'MB', {
        budget: { atMost: 100 },
        note: `${after.toFixed(0)} MB; ${height.toFixed(0)} MB as the last one ended`,
      }),
    ]
  } finally {
    await server.stop()
    await postgres?.stop()
  }
}

async function developer({ url }: ServerProcess): Promise<() => Promise<number>> {
  const send = createSend(url)
  const signIn = createSignIn(send, 'developer')
  await signIn()
  return async () => {
    const answer = await send('GET', '/api/developer/product', { headers: await signIn() })
    jsonOf(answer)
    return answer.milliseconds
  }
}

async function listTimes(ask: () => Promise<number>, seconds: number): Promise<number[]> {
  const times: number[] = []
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await pause(20))
    times.push(await ask())
  return times
}
