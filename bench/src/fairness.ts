import { randomBytes, randomUUID } from 'node:crypto'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { WebSocket } from 'ws'
import { openDatabase } from '../../apps/platform/src/core/database/database.ts'
import { startPostgres } from '../../apps/platform/src/core/testing/postgres-server.ts'
import { insertRun } from '../../apps/platform/src/services/maple/cloud-handler/handler-run.queries.ts'
import type { MapleDb, MapleTables } from '../../apps/platform/src/services/maple/tables.ts'
import type { DeviceImport } from '../../packages/contract/src/index.ts'
import { row, type Benchmark, type Row } from './benchmark.ts'
import type { BenchContext } from './support/bench-context.ts'
import { createSend, jsonOf, type Send } from './support/http-client.ts'
import { startPlatform } from './support/server-process.ts'
import { createSignIn } from './support/sign-in.ts'
import { median } from './support/statistics.ts'

const imports = '/api/maple/device/import'
const handlers = '/api/maple/cloud_handlers'
const scripts = '/api/maple/scripts'
const crowd = 'bench-crowd'
const neighbour = 'bench-neighbour'
/** How long a delivery of the flood may take: those that wait follow it. */
const runMs = 15_000
/** The budget: what somebody takes beside a flood, of what they take alone. */
const budget = { atMost: 3 }

const sizes = (isQuick: boolean) =>
  isQuick ? { rows: 40_000, rounds: 3, warmMs: 2000 } : { rows: 400_000, rounds: 5, warmMs: 5000 }

export const fairnessBenchmark: Benchmark = {
  name: 'fairness',
  title: 'One provider beside another that floods',
  how: 'The whole platform in one process on PostgreSQL. One service provider floods in each of these ways in turn: 48 deliveries whose receiver never answers, an import of 400,000 rows, 24 runs of a script that computes for ever, 48 deliveries that compute for ever, 48 that try a regular expression without an end, 48 to names that nobody answers, 20 connections at a time that show wrong secrets, one after another. Once the flood has run for five seconds, another service provider does, in turns and as medians of five rounds: a delivery of its handler, from when it is written until it has ended; the check of a file of 200 rows; a script of one line on a software card; the list of its devices; the connection of a device until it is open. Beside what each took before the floods, in the same process.',
  isLong: true,
  run: async (bench) => {
    const place = await openPlace(bench)
    const probes = await openProbes(place)
    const measure = async () => {
      const times = Object.fromEntries(Object.keys(probes).map((name) => [name, [] as number[]]))
      for (let round = 0; round < sizes(bench.isQuick).rounds; round++)
        for (const [name, probe] of Object.entries(probes)) times[name]?.push(await probe())
      return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]))
    }
    bench.say('alone')
    await measure()
    const alone = await measure()
    const rows: Row[] = Object.entries(alone).map(([name, ms]) => row(`${name}, alone`, ms, 'ms'))
    for (const [name, begin] of Object.entries(floods(place))) {
      bench.say(name)
      const end = await begin()
      await pause(sizes(bench.isQuick).warmMs)
      const beside = await measure()
      await end()
      for (const [what, ms] of Object.entries(beside))
        rows.push(
          row(`${what}, beside ${name}`, ms / (alone[what] ?? Number.NaN), '×', {
            budget,
            note: `${ms.toFixed(1)} ms`,
          }),
        )
    }
    return { rows }
  },
}

interface Place {
  bench: BenchContext
  url: string
  db: MapleDb
  send: Send
  ask: <Body>(method: 'GET' | 'POST', path: string, body?: object) => Promise<Body>
  signIn: () => Promise<{ authorization: string }>
  /** A port that takes connections and says nothing. */
  silentPort: number
}

async function openPlace(bench: BenchContext): Promise<Place> {
  const server = await startPostgres()
  bench.atEnd(server.stop)
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve))
  bench.atEnd(async () => void silent.close())
  const { port: silentPort } = silent.address() as AddressInfo
  const folder = await bench.folder('fairness')
  const platform = await startPlatform(bench, {
    GROVE_DATA: folder,
    DATABASE_URL: server.url,
    GROVE_LOG_LEVEL: 'error',
    GROVE_CHANGES_PER_MINUTE: '0',
    GROVE_EGRESS_ALLOW: `127.0.0.1:${silentPort}`,
  })
  const database = await openDatabase({ url: server.url, folder })
  bench.atEnd(database.close)
  const db = database.db.withTables<MapleTables>()
  for (const id of [crowd, neighbour])
    await sql`insert into maple.service (id, name, name_key) values (${id}, ${id}, ${id})`.execute(
      db,
    )
  const send = createSend(platform.url)
  const signIn = createSignIn(send, 'admin')
  const ask = async <Body>(method: 'GET' | 'POST', path: string, body?: object) => {
    const answer = await send(method, path, { headers: await signIn(), ...(body && { body }) })
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.body.toString()}`)
    return jsonOf(answer) as Body
  }
  return { bench, url: platform.url, db, send, ask, signIn, silentPort }
}

/** Waits until something is so; what it took is the caller's to say. */
async function until(isSo: () => Promise<boolean>, ms = 120_000): Promise<void> {
  const late = performance.now() + ms
  while (!(await isSo())) {
    if (performance.now() > late) throw new Error('What was waited for did not come.')
    await pause(10)
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** A handler that is deployed and belongs to a service provider. */
async function makeHandler({ ask, db }: Place, serviceId: string, code: string) {
  const { id } = await ask<{ id: string }>('POST', handlers, {
    name: randomUUID(),
    trigger: { type: 'webhook', proof: 'token' },
    code,
    hosts: ['127.0.0.1', '*.example.com', 'example.com'],
    limits: { milliseconds: runMs, calls: 10, kilobytes: 10, attempts: 1 },
  })
  await sql`update maple.cloud_handler set service_id = ${serviceId} where id = ${id}`.execute(db)
  await ask('POST', `${handlers}/${id}/deploy`, {})
  return id
}

const deliver = ({ db }: Place, handlerId: string) =>
  insertRun(db, {
    handlerId,
    source: 'webhook',
    type: 'webhook',
    key: randomUUID(),
    event: {},
    mostAttempts: 1,
  })

async function uploadImport({ url, signIn }: Place, rows: number): Promise<DeviceImport> {
  const mark = randomUUID().slice(0, 8)
  const lines = Array.from({ length: rows }, (_, n) => `${mark}-${n},Turnstile ${n % 997},iot`)
  const form = new FormData()
  form.append('file', new Blob([`id,name,type\n${lines.join('\n')}\n`]), 'fleet.csv')
  const answer = await fetch(url + imports, { method: 'POST', body: form, headers: await signIn() })
  return (await answer.json()) as DeviceImport
}

/** Uploads as one service provider's, and begins the check. */
async function checkImport(place: Place, serviceId: string, rows: number): Promise<string> {
  const { id, mapping } = await uploadImport(place, rows)
  await sql`update maple.device_import set service_id = ${serviceId} where id = ${id}`.execute(
    place.db,
  )
  await place.ask('POST', `${imports}/check`, { id, mapping, existing: 'update' })
  return id
}

const stateOfImport = async ({ db }: Place, id: string) =>
  (await sql<{ state: string }>`select state from maple.device_import where id = ${id}`.execute(db))
    .rows[0]?.state

async function makeCard({ ask }: Place, serviceId: string): Promise<string> {
  const card = { name: randomUUID(), serviceId }
  return (await ask<{ id: string }>('POST', '/api/maple/software_cards', card)).id
}

const makeScript = async ({ ask }: Place, draft: string) =>
  (await ask<{ id: string }>('POST', scripts, { name: randomUUID(), draft })).id

async function openProbes(place: Place): Promise<Record<string, () => Promise<number>>> {
  const { db, ask, url } = place
  const handler = await makeHandler(place, neighbour, '1 + 1')
  const card = await makeCard(place, neighbour)
  const script = await makeScript(place, '1 + 1')
  const device = 'bench-device'
  const secret = randomBytes(32).toString('base64url')
  await sql`
    insert into maple.device (id, name, name_key, type, state, service_id)
    values (${device}, ${device}, ${device}, 'iot', 'accepted', ${neighbour})`.execute(db)
  await sql`
    insert into maple.device_credential (id, device_id, secret_hash)
    values (gen_random_uuid(), ${device}, encode(sha256(convert_to(${secret}, 'UTF8')), 'hex'))
  `.execute(db)
  return {
    handler: async () => {
      const id = await deliver(place, handler)
      return timed(() =>
        until(async () => {
          const { rows } = await sql`
            select from maple.cloud_handler_run
            where id = ${id} and finished_at is not null`.execute(db)
          return rows.length > 0
        }),
      )
    },
    import: async () => {
      const { id, mapping } = await uploadImport(place, 200)
      await sql`update maple.device_import set service_id = ${neighbour} where id = ${id}`.execute(
        db,
      )
      return timed(async () => {
        await ask('POST', `${imports}/check`, { id, mapping, existing: 'update' })
        await until(async () => (await stateOfImport(place, id)) === 'checked')
      })
    },
    script: () =>
      timed(async () => {
        const { items } = await ask<{ items: { id: string }[] }>(
          'POST',
          `${scripts}/${script}/run`,
          {
            elements: [card],
          },
        )
        await own(place, items[0]?.id ?? '')
        await until(async () => {
          const { rows } = await sql<{ state: string }>`
            select state from maple.script_run
            where id = ${items[0]?.id ?? ''} and finished_at is not null`.execute(db)
          return rows.length > 0
        })
      }),
    list: async () => {
      const times: number[] = []
      for (let n = 0; n < 5; n++)
        times.push(await timed(() => ask('GET', '/api/maple/device?limit=50')))
      return median(times)
    },
    // One that is told to come later comes at once.
    connection: () => timed(() => until(() => knock(url, secret))),
  }
}

/** Whether a device with this secret is let in. */
async function knock(url: string, secret: string): Promise<boolean> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/api/maple/gateway/socket`, {
    headers: { authorization: `Bearer ${secret}` },
  })
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once('open', () => resolve(true))
    socket.on('error', () => resolve(false))
  })
  socket.terminate()
  return isOpen
}

/** The person is an administrator: whose run it is, is written behind it. */
const own = ({ db }: Place, runId: string) =>
  sql`
    with run as (
      update maple.script_run set service_id = ${neighbour} where id = ${runId}
      returning batch_id::text as batch
    )
    update maple.job set owner = ${neighbour} from run
    where name = 'script.run' and state = 'queued' and input ->> 'batch' = run.batch`.execute(db)

type Flood = () => Promise<() => Promise<unknown>>

function floods(place: Place): Record<string, Flood> {
  const { bench, db, ask, url, silentPort } = place
  const deliveries =
    (code: string): Flood =>
    async () => {
      const ids: string[] = []
      for (let n = 0; n < 12; n++) ids.push(await makeHandler(place, crowd, code))
      for (const id of ids) for (let n = 0; n < 4; n++) await deliver(place, id)
      return async () => {
        await sql`delete from maple.cloud_handler where id = any(${ids}::uuid[])`.execute(db)
        await pause(runMs)
      }
    }
  return {
    'deliveries without an end': deliveries(`fetch('http://127.0.0.1:${silentPort}/')`),
    'a large import': async () => {
      const id = await checkImport(place, crowd, sizes(bench.isQuick).rows)
      return async () => {
        await ask('POST', `${imports}/cancel`, { id })
        await pause(2000)
      }
    },
    'runs of a script': async () => {
      const id = await makeScript(place, 'for (;;) {}')
      const cards: string[] = []
      for (let n = 0; n < 24; n++) cards.push(await makeCard(place, crowd))
      const batches: string[] = []
      for (const cplc of cards) {
        const { batchId } = await ask<{ batchId: string }>('POST', `${scripts}/${id}/run`, {
          elements: [cplc],
        })
        batches.push(batchId)
      }
      return async () => {
        await sql`
          update maple.script_run set is_cancelled = true,
            state = case when state = 'waiting' then 'cancelled' else state end
          where batch_id = any(${batches}::uuid[])`.execute(db)
        await pause(3000)
      }
    },
    'programs without an end': deliveries('for (;;) {}'),
    'regular expressions': deliveries(`/(a+)+$/.test('a'.repeat(60) + 'b')`),
    'names that nobody answers': deliveries(
      `for (let n = 0; n < 10; n++) try { fetch('http://n' + n + '.example.com/') } catch {}`,
    ),
    'wrong secrets': async () => {
      const ending = new AbortController()
      const all = Array.from({ length: 20 }, async () => {
        while (!ending.signal.aborted) await knock(url, randomBytes(32).toString('base64url'))
      })
      return async () => {
        ending.abort()
        await Promise.all(all)
      }
    },
  }
}
