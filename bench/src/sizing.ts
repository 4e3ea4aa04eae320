import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { MapleDb } from '../../apps/platform/src/services/maple/base/tables.ts'
import { openGateway } from './agents.ts'
import { row, type Benchmark, type Row } from './benchmark.ts'
import type { BenchContext } from './support/bench-context.ts'
import { startFleet } from './support/fleet-process.ts'
import { createSend } from './support/http-client.ts'
import { treeProcessorTimeOf, type ServerProcess } from './support/server-process.ts'
import { createSignIn, samplePassword } from './support/sign-in.ts'

const sizes = (isQuick: boolean) =>
  isQuick
    ? { agents: 200, messages: 20, lists: 50, signIns: 5, idleSeconds: 5 }
    : { agents: 2000, messages: 100, lists: 1000, signIns: 50, idleSeconds: 60 }
/** Each device sends one message per period. */
const everyMs = 1000

export const sizing: Benchmark = {
  name: 'sizing',
  title: 'What devices and people need',
  how: `The figures behind docs/operations/sizing.md. A process for each role on one PostgreSQL, which does not wait for its disk. 2,000 agents connect to the gateway by WebSocket, are quiet for a minute, and then send 100 events each, one a second; afterwards as many measurements of two values. Processor time is that of all threads of a process, of PostgreSQL that of all its processes; disk is what tables and indexes grew by, and the log that PostgreSQL wrote. Lists of 50 devices and sign-ins are asked for one after another. What recurring work takes meanwhile is in these figures.`,
  isLong: true,
  run: async (bench) => {
    const { agents } = sizes(bench.isQuick)
    const { db, start } = await openGateway(bench, agents)
    const postgres = await postmasterOf(db)
    // The first start migrates the tables of all services.
    const web = await start({
      GROVE_SERVICES: 'auth,cedar,maple',
      GROVE_ROLES: 'web',
      GROVE_PORT: '0',
      GROVE_MQTT_PORT: '',
      GROVE_AUTH_JWKS_URL: '',
    })
    const runner = await start({
      GROVE_SERVICES: 'auth,cedar,maple',
      GROVE_ROLES: 'runner',
      GROVE_PORT: '0',
      GROVE_MQTT_PORT: '',
      GROVE_AUTH_JWKS_URL: `${web.url}/.well-known/jwks.json`,
    })
    const gateway = await start()
    await pause(3000)
    const memory = await Promise.all(
      Object.entries({ web, gateway, runner }).map(async ([name, server]) =>
        row(`memory of \`${name}\` without work`, (await server.memory()) ?? Number.NaN, 'MB'),
      ),
    )
    return {
      rows: [
        ...memory,
        ...(await measureDevices(bench, { db, gateway, runner, postgres })),
        ...(await measurePeople(bench, web, postgres)),
        ...(await countConnections(db)),
      ],
    }
  },
}

/** The parent process of PostgreSQL’s connections. */
async function postmasterOf(db: MapleDb): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
  const status = await readFile(`/proc/${rows[0]?.pid}/status`, 'utf8')
  return Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1])
}

const timeOf = async (server: ServerProcess) => (await server.processorTime()) ?? Number.NaN

interface Fleet {
  db: MapleDb
  gateway: ServerProcess
  runner: ServerProcess
  postgres: number
}

async function measureDevices(
  bench: BenchContext,
  { db, gateway, runner, postgres }: Fleet,
): Promise<Row[]> {
  const { agents, messages, idleSeconds } = sizes(bench.isQuick)
  const before = (await gateway.memory()) ?? Number.NaN
  const fleet = startFleet(bench, gateway.url, { count: agents })
  await fleet.allConnected()
  await pause(3000)
  const connected = (await gateway.memory()) ?? Number.NaN
  const idleFrom = [await timeOf(gateway), await treeProcessorTimeOf(postgres)] as const
  await pause(idleSeconds * 1000)
  const perMinute = (ms: number) => (ms * 60) / idleSeconds / agents
  const idle = [
    perMinute((await timeOf(gateway)) - idleFrom[0]),
    perMinute((await treeProcessorTimeOf(postgres)) - idleFrom[1]),
  ] as const
  const rows = [
    row('memory of a connected device', ((connected - before) * 1024) / agents, 'KiB', {
      note: `${agents} devices by WebSocket`,
    }),
    row('a connected device without messages', idle[0], 'ms a minute', {
      note: `processor time of the gateway; of PostgreSQL ${idle[1].toFixed(3)} ms`,
    }),
  ]
  for (const kind of ['event', 'telemetry'] as const) {
    const total = agents * messages
    const sizeBefore = await sizeOf(db)
    const from = [
      await timeOf(gateway),
      await treeProcessorTimeOf(postgres),
      await timeOf(runner),
    ] as const
    const started = performance.now()
    fleet.order({ send: messages, everyMs, kind })
    await fleet.until('Sending', () => fleet.sum('waiting') > 0)
    await pause(messages * everyMs)
    await fleet.allStored()
    const seconds = (performance.now() - started) / 1000
    const micros = (to: number, since: number) => ((to - since) * 1000) / total
    const [ofGateway, ofPostgres, ofRunner] = [
      micros(await timeOf(gateway), from[0]),
      micros(await treeProcessorTimeOf(postgres), from[1]),
      micros(await timeOf(runner), from[2]),
    ]
    const size = await sizeOf(db)
    const name = kind === 'event' ? 'an event' : 'a measurement of two values'
    rows.push(
      row(`processor time of ${name}`, ofGateway + ofPostgres + ofRunner, 'µs', {
        note: `gateway ${ofGateway.toFixed(0)}, PostgreSQL ${ofPostgres.toFixed(0)}, runner ${ofRunner.toFixed(0)}, at ${(total / seconds).toFixed(0)} a second`,
      }),
      row(`disk of ${name}`, (size.tables - sizeBefore.tables) / total, 'bytes', {
        note: `and ${((size.log - sizeBefore.log) / total).toFixed(0)} of PostgreSQL’s log`,
      }),
    )
  }
  rows.push(
    row('memory of the gateway after that', (await gateway.memory()) ?? Number.NaN, 'MB', {
      note: `${agents} devices`,
    }),
  )
  await fleet.stop()
  return rows
}

/** Bytes of all tables with their indexes, and of the log so far. */
async function sizeOf(db: MapleDb): Promise<{ tables: number; log: number }> {
  const { rows } = await sql<{ tables: string; log: string }>`
    select (select sum(pg_total_relation_size(oid)) from pg_class where relkind = 'r') as tables,
      pg_current_wal_lsn() - '0/0'::pg_lsn as log`.execute(db)
  return { tables: Number(rows[0]?.tables), log: Number(rows[0]?.log) }
}

async function measurePeople(
  bench: BenchContext,
  web: ServerProcess,
  postgres: number,
): Promise<Row[]> {
  const { lists, signIns } = sizes(bench.isQuick)
  const send = createSend(web.url)
  const headers = await createSignIn(send, 'admin')()
  const cost = async (count: number, ask: () => Promise<{ status: number }>) => {
    const ms = [await timeOf(web), await treeProcessorTimeOf(postgres)] as const
    for (let done = 0; done < count; done += 1) {
      const { status } = await ask()
      if (status !== 200) throw new Error(`A call was answered with ${status}.`)
    }
    return [
      ((await timeOf(web)) - ms[0]) / count,
      ((await treeProcessorTimeOf(postgres)) - ms[1]) / count,
    ] as const
  }
  const list = () => send('GET', '/api/maple/device?limit=50&count=true', { headers })
  await cost(lists / 10, list)
  const ofLists = await cost(lists, list)
  const body = { email: 'admin@grove.test', password: samplePassword, provider: 'grove' }
  const ofSignIns = await cost(signIns, () => send('POST', '/api/token/password', { body }))
  const note = ([, database]: readonly [number, number]) =>
    `processor time of \`web\`; of PostgreSQL ${database.toFixed(2)} ms`
  return [
    row('a list of 50 devices', ofLists[0], 'ms', { note: note(ofLists) }),
    row('a sign-in with a password', ofSignIns[0], 'ms', { note: note(ofSignIns) }),
    row('memory of `web` after that', (await web.memory()) ?? Number.NaN, 'MB'),
  ]
}

async function countConnections(db: MapleDb): Promise<Row[]> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where backend_type = 'client backend' and datname = current_database()`.execute(db)
  return [
    row('connections to PostgreSQL', rows[0]?.count ?? Number.NaN, '', {
      note: 'of three processes, one for each role, and of this benchmark',
    }),
  ]
}
