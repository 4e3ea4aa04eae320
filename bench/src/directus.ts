import autocannon from 'autocannon'
import { row, type Benchmark, type Row } from './benchmark.ts'
import { startDirectus, directusVersion, type Directus } from './support/directus-server.ts'
import { createSend, jsonOf } from './support/http-client.ts'
import { startPlatform } from './support/server-process.ts'
import { createSignIn, samplePassword } from './support/sign-in.ts'
import { median } from './support/statistics.ts'
import type { BenchContext } from './support/bench-context.ts'

const connections = 32
const signInsAtOnce = 8
const limit = 20

export const directus: Benchmark = {
  name: 'directus',
  title: 'Beside Directus',
  how: `Grove and Directus ${directusVersion}, each a process of its own on the same PostgreSQL and the same devices, without caches and rate limits, loaded in turns by autocannon: lists of ${limit} with an administrator’s token over ${connections} connections, sign-ins of the right password over ${signInsAtOnce}. \`GET /api/maple/device\` answers each device with its secure elements; \`GET /items/device\` the same table’s columns. Search: the first eight letters of names, which Grove also looks for in ids and chips; Directus is asked for \`_istarts_with\`. Grove’s argon2 takes 19 MiB and two passes, Directus’ 64 MiB and three. Medians of the rounds.`,
  run: async (bench) => {
    const fleet = await bench.fleet('postgres')
    const grove = await startPlatform(bench, fleet.env)
    const peer = await startDirectus(bench, fleet.env['DATABASE_URL'] ?? '')
    try {
      return { rows: await compare(bench, grove.url, peer) }
    } finally {
      await peer.stop()
      await grove.stop()
    }
  },
}

interface Load {
  url: string
  requests: autocannon.Request[]
}

async function compare(bench: BenchContext, url: string, peer: Directus): Promise<Row[]> {
  const send = createSend(url)
  const signIn = createSignIn(send, 'admin')
  const first = await send('GET', '/api/maple/device?limit=50', { headers: await signIn() })
  const { items }: { items: { name: string }[] } = jsonOf(first)
  const terms = [...new Set(items.map(({ name }) => encodeURIComponent(name.slice(0, 8))))]
  const theirs = (filters: string[]): Load => ({
    url: peer.url,
    requests: filters.map((filter) => ({
      path: `/items/device?limit=${limit}&sort=-last_seen_at${filter}`,
      headers: peer.headers,
    })),
  })
  const ours = async (filters: string[]): Promise<Load> => {
    const headers = await signIn()
    return {
      url,
      requests: filters.map((filter) => ({
        path: `/api/maple/device?limit=${limit}&sort=lastSeenAt&order=desc${filter}`,
        headers,
      })),
    }
  }
  const rows: Row[] = []
  const lists: [string, string[], string[]][] = [
    ['list', [''], ['']],
    ['list of one type', ['&type=iot'], ['&filter[type][_eq]=iot']],
    [
      'search by the beginning of a name',
      terms.map((term) => `&q=${term}`),
      terms.map((term) => `&filter[name][_istarts_with]=${term}`),
    ],
  ]
  for (const [name, own, other] of lists)
    rows.push(await inTurns(bench, name, connections, () => ours(own), theirs(other)))
  rows.push(
    await inTurns(
      bench,
      'sign-in',
      signInsAtOnce,
      async () => ({
        url,
        requests: [
          posted('/api/token/password', {
            email: 'admin@grove.test',
            password: samplePassword,
            provider: 'grove',
          }),
        ],
      }),
      { url: peer.url, requests: [posted('/auth/login', peer.account)] },
    ),
  )
  return rows
}

const posted = (path: string, body: object): autocannon.Request => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

async function inTurns(
  { isQuick, say }: BenchContext,
  name: string,
  atOnce: number,
  ours: () => Promise<Load>,
  theirs: Load,
): Promise<Row> {
  const seconds = isQuick ? 1 : 4
  const rates: { grove: number; peer: number }[] = []
  for (let round = -1; round < (isQuick ? 1 : 3); round += 1) {
    const grove = await rate(await ours(), atOnce, seconds)
    const peer = await rate(theirs, atOnce, seconds)
    // The first round warms up.
    if (round >= 0) rates.push({ grove, peer })
  }
  const grove = median(rates.map((round) => round.grove))
  const peer = median(rates.map((round) => round.peer))
  say(`${name}: ${grove.toFixed(0)} and ${peer.toFixed(0)} requests/s`)
  return row(name, grove, 'requests/s', {
    note: `Directus ${peer < 100 ? peer.toFixed(1) : peer.toFixed(0)}; ${(grove / peer).toFixed(1)} times as many`,
  })
}

async function rate({ url, requests }: Load, atOnce: number, seconds: number): Promise<number> {
  const result = await autocannon({
    url,
    connections: atOnce,
    duration: seconds,
    timeout: 60,
    requests,
  })
  if (result.non2xx + result.errors > 0)
    throw new Error(`${result.non2xx + result.errors} calls of ${url} failed.`)
  return result['2xx'] / result.duration
}
