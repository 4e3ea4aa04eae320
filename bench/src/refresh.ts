import { createAuthClient } from '@grove/auth-client'
import { startPostgres } from '../../apps/platform/src/core/testing/postgres-server.ts'
import { row, type Benchmark, type Row } from './benchmark.ts'
import { engineNames, engines } from './support/fleet.ts'
import { createSend, jsonOf } from './support/http-client.ts'
import { startPlatform } from './support/server-process.ts'
import { samplePassword } from './support/sign-in.ts'
import { percentile } from './support/statistics.ts'
import type { BenchContext } from './support/bench-context.ts'

const credentials = { email: 'developer@grove.test', password: samplePassword, provider: 'grove' }
const callers = 1000
const rate = 200

export const refresh: Benchmark = {
  name: 'refresh',
  title: 'Refresh',
  how: `${callers} calls of \`getAuthorization\` at once with an ended token, through the real client against the real service. Then sessions that each exchange their refresh token in turn, ${rate} exchanges a second, sent on time whether or not earlier ones were answered; a time counts from when the exchange was due.`,
  run: async (bench) => {
    const rows: Row[] = []
    for (const engine of engines) {
      const postgres = engine === 'postgres' ? await startPostgres() : undefined
      if (postgres) bench.atEnd(postgres.stop)
      const server = await startPlatform(bench, {
        GROVE_DATA: await bench.folder('refresh'),
        DATABASE_URL: postgres?.url ?? '',
      })
      try {
        if (engine === 'pglite') rows.push(...(await manyCallers(server.url)))
        rows.push(...(await manySessions(bench, engineNames[engine], server.url)))
      } finally {
        await server.stop()
      }
    }
    return { rows }
  },
}

async function manyCallers(url: string): Promise<Row[]> {
  const time = { ahead: 0 }
  let refreshes = 0
  const client = createAuthClient({
    authUrl: url,
    realm: 'grove',
    stage: 'bench',
    clock: () => Date.now() + time.ahead,
    fetch: (input, init) => {
      if (new Request(input, init).url.endsWith('/api/token/refresh')) refreshes += 1
      return fetch(input, init)
    },
  })
  await client.signIn(credentials)
  time.ahead = 11 * 60_000
  const started = performance.now()
  const values = await Promise.all(Array.from({ length: callers }, () => client.getAuthorization()))
  const milliseconds = performance.now() - started
  client.close()
  const isOne = new Set(values).size === 1 && values[0] !== null
  if (!isOne) throw new Error('The callers were given different answers.')
  return [
    row(`refreshes of ${callers} callers at once`, refreshes, '', {
      budget: { atMost: 1 },
      note: `all answered alike after ${milliseconds.toFixed(0)} ms`,
    }),
  ]
}

async function manySessions(bench: BenchContext, engine: string, url: string): Promise<Row[]> {
  const send = createSend(url)
  const exchange = async (path: string, body: object) => {
    const { token } = jsonOf(await send('POST', path, { body }))
    return token.refreshToken as string
  }
  const sessions: string[] = []
  // Two seconds between two refreshes of one session: longer than any refresh.
  while (sessions.length < (bench.isQuick ? 20 : rate * 2))
    sessions.push(await exchange('/api/token/password', credentials))

  const total = bench.isQuick ? 20 : rate * 20
  const times: number[] = []
  const running: Promise<void>[] = []
  const started = performance.now()
  for (let index = 0; index < total; index += 1) {
    const due = started + (index / rate) * 1000
    const wait = due - performance.now()
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait))
    const slot = index % sessions.length
    const one = async () => {
      const body = { refreshToken: sessions[slot], provider: 'grove' }
      sessions[slot] = await exchange('/api/token/refresh', body)
      times.push(performance.now() - due)
    }
    running.push(one())
  }
  await Promise.all(running)
  const seconds = (performance.now() - started) / 1000
  bench.say(`${engine}: ${total} refreshes in ${seconds.toFixed(1)} s`)
  return [
    row(`p50 of ${rate} refreshes/s on ${engine}`, percentile(times, 0.5), 'ms'),
    row(`p99 of ${rate} refreshes/s on ${engine}`, percentile(times, 0.99), 'ms', {
      note: `${(total / seconds).toFixed(0)}/s reached, none failed`,
    }),
  ]
}
