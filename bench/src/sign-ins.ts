import { hash, verify } from '@node-rs/argon2'
import autocannon from 'autocannon'
import { row, type Benchmark, type Row } from './benchmark.ts'
import { engineNames, engines } from './support/fleet.ts'
import { createSend, jsonOf } from './support/http-client.ts'
import { startPlatform } from './support/server-process.ts'
import { ownPassword } from './support/sign-in.ts'
import { median } from './support/statistics.ts'
import { startPostgres } from '../../apps/platform/src/core/testing/postgres-server.ts'

const atOnce = 8
const accounts = 16

export const signIns: Benchmark = {
  name: 'sign-ins',
  title: 'Sign-ins',
  how: `\`POST /api/token/password\` of ${accounts} accounts by autocannon, ${atOnce} connections, in turns with argon2 verifying the same password, ${atOnce} at once, in the benchmark’s own process. Medians of the rounds.`,
  run: async (bench) => {
    const rows: Row[] = []
    for (const engine of engines) {
      const postgres = engine === 'postgres' ? await startPostgres() : undefined
      if (postgres) bench.atEnd(postgres.stop)
      const server = await startPlatform(bench, {
        GROVE_DATA: await bench.folder('sign-ins'),
        DATABASE_URL: postgres?.url ?? '',
      })
      try {
        rows.push(await compare(engineNames[engine], server.url, bench.isQuick))
      } finally {
        await server.stop()
      }
    }
    return { rows }
  },
}

async function compare(name: string, url: string, isQuick: boolean): Promise<Row> {
  const seconds = isQuick ? 1 : 5
  const bodies = await signUp(url)
  const passwordHash = await hash(ownPassword, {
    memoryCost: 19_456,
    timeCost: 2,
    parallelism: 1,
  })
  const calls: number[] = []
  const alone: number[] = []
  for (let round = 0; round < (isQuick ? 1 : 5); round += 1) {
    alone.push(await verificationsPerSecond(passwordHash, seconds))
    const result = await autocannon({
      url,
      connections: atOnce,
      duration: seconds,
      requests: bodies.map((body) => ({
        method: 'POST',
        path: '/api/token/password',
        headers: { 'content-type': 'application/json' },
        body,
      })),
    })
    if (result.non2xx + result.errors > 0) throw new Error(`${result.non2xx} sign-ins failed.`)
    calls.push(result['2xx'] / result.duration)
  }
  const share = (median(calls) / median(alone)) * 100
  return row(`sign-ins on ${name}`, median(calls), '/s', {
    note: `${share.toFixed(0)} % of argon2 alone, ${median(alone).toFixed(0)}/s`,
  })
}

async function signUp(url: string): Promise<string[]> {
  const send = createSend(url)
  const bodies: string[] = []
  for (let index = 0; index < accounts; index += 1) {
    const body = { email: `bench-${index}@grove.test`, password: ownPassword, provider: 'grove' }
    jsonOf(await send('POST', '/api/signup', { body }))
    bodies.push(JSON.stringify(body))
  }
  return bodies
}

async function verificationsPerSecond(passwordHash: string, seconds: number): Promise<number> {
  const started = performance.now()
  const end = started + seconds * 1000
  let done = 0
  const work = async () => {
    while (performance.now() < end) {
      await verify(passwordHash, ownPassword)
      done += 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return done / ((performance.now() - started) / 1000)
}
