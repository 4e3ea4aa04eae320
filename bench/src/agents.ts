import { createHash, randomUUID } from 'node:crypto'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { openDatabase } from '../../apps/platform/src/core/database/database.ts'
import { migrate } from '../../apps/platform/src/core/database/migrate.ts'
import { startPostgres } from '../../apps/platform/src/core/testing/postgres-server.ts'
import { migrationsOf } from '../../apps/platform/src/core/service.ts'
import { insertCommand } from '../../apps/platform/src/services/maple/connect/device-command/device-command.queries.ts'
import {
  openDeviceHub,
  type DeviceHub,
} from '../../apps/platform/src/services/maple/connect/gateway/device-hub.ts'
import { maple } from '../../apps/platform/src/services/maple/index.ts'
import type { MapleDb, MapleTables } from '../../apps/platform/src/services/maple/base/tables.ts'
import { row, type Benchmark, type Row } from './benchmark.ts'
import { deviceOf, secretOf } from './support/agent-fleet.ts'
import type { BenchContext } from './support/bench-context.ts'
import { startFleet } from './support/fleet-process.ts'
import { startPlatform, startServer, type ServerProcess } from './support/server-process.ts'
import { percentile } from './support/statistics.ts'

/** Per run: agents, messages of each in the intake, timed notices. */
const sizes = (isQuick: boolean) =>
  isQuick
    ? { agents: 500, messages: 20, commands: 50, notices: 20 }
    : { agents: 10_000, messages: 50, commands: 1000, notices: 300 }
const batchRows = 5000

export const agentBenchmark: Benchmark = {
  name: 'agents',
  title: 'Devices on one gateway',
  how: `10,000 agents, in two processes of 5,000, on one process that runs the gateway alone, with PostgreSQL on the same machine, which does not wait for its disk. Memory: what the resident size grew by from the start until all were connected and quiet for a while, for each agent, less the same of a server of \`ws\` alone that the same agents connected to. Heartbeat: processor time of the gateway for each message of 10 seconds in which every agent sends one event, and for each second without. Command: from before it is stored to the agent, which answers it. Notice: from the commit of a revoked connection to the agent that learns of it; gateways look every second. Storm: the process is killed while every agent sends, and started again; how long from the kill until all are back, and what was lost or doubled. Intake: every agent sends as fast as its window allows; against the same rows in statements of ${batchRows.toLocaleString('en')} into a table of the same shape, one after another, in the process of the benchmark.`,
  isLong: true,
  run: async (bench) => {
    const { agents } = sizes(bench.isQuick)
    const bareBytes = await bareMemory(bench, agents)
    const { db, devices, start, mqtt } = await openGateway(bench, agents)
    const memory: Row[] = []
    const connect = async (link: string, more: { mqtt?: string } = {}) => {
      const server = await start()
      await warmUp(bench, server.url, more.mqtt)
      const before = await quietMemory(server)
      const opened = startFleet(bench, server.url, { count: agents, ...more })
      const connecting = await opened.allConnected()
      const bytes = (((await quietMemory(server)) - before) * 1024 * 1024) / agents
      const [own, bare] = [bytes / 1024, bareBytes / 1024]
      const budget = { atMost: 12 }
      const note = `${own.toFixed(1)} KiB against ${bare.toFixed(1)}, all connected after ${(connecting / 1000).toFixed(1)} s`
      memory.push(
        row(`memory of an agent by ${link} over bare sockets`, own - bare, 'KiB', { budget, note }),
      )
      return { server, fleet: opened }
    }
    const byMqtt = await connect('MQTT', { mqtt })
    await byMqtt.fleet.stop()
    await byMqtt.server.stop()
    const { server, fleet } = await connect('WebSocket')
    let gateway = server
    const rows: Row[] = [
      ...memory,
      ...(await measureHeartbeats(gateway, fleet, agents)),
      await measureCommands(db, devices, fleet, bench),
      await measureNotices(db, fleet, bench),
    ]

    bench.say('killing the gateway while every agent sends')
    fleet.order({ send: 3, everyMs: 1000 })
    await pause(1000)
    const ends = fleet.sum('ends')
    const killed = performance.now()
    await gateway.kill()
    // A start is quick enough to be asked before the fleet has reported that.
    await fleet.allGone()
    gateway = await start()
    await fleet.allConnected()
    const back = performance.now() - killed
    await fleet.allStored()
    rows.push(
      row('all back after a killed gateway', back / 1000, 's', {
        note: `${((fleet.sum('ends') - ends) / agents).toFixed(2)} failed attempts an agent`,
      }),
      row('messages lost or doubled in it', await countWrong(db), '', { budget: { atMost: 0 } }),
    )
    rows.push(await measureIntake(db, fleet, bench))
    rows.push(
      row('messages lost or doubled at the end', await countWrong(db), '', {
        budget: { atMost: 0 },
      }),
    )
    return { rows }
  },
}

type Fleet = ReturnType<typeof startFleet>

/** Bytes per connection of `ws` alone. */
async function bareMemory(bench: BenchContext, agents: number): Promise<number> {
  const server = await startServer(
    bench,
    'bench/src/support/bare-socket-server.ts',
    {},
    /Bare sockets: (\S+)/,
  )
  const warm = startFleet(bench, server.url, { count: warmAgents })
  await pause(5000)
  await warm.stop()
  const before = await quietMemory(server)
  const fleet = startFleet(bench, server.url, { count: agents })
  // No hello is answered here; what matters is that all are open.
  await pause((1.3 * agents * 1000) / 400 + 3000)
  const after = await quietMemory(server)
  await fleet.stop()
  await server.stop()
  return ((after - before) * 1024 * 1024) / agents
}

/** Executed code, and what is shared by all connections, is not an agent's memory. */
const warmAgents = 100
async function warmUp(bench: BenchContext, url: string, mqtt: string | undefined): Promise<void> {
  const fleet = startFleet(bench, url, { count: warmAgents, ...(mqtt !== undefined && { mqtt }) })
  await fleet.allConnected()
  await fleet.stop()
}

/** The minimum over some moments, in MB: between two collections there is more. */
async function quietMemory(server: ServerProcess): Promise<number> {
  let least = Infinity
  for (let moment = 0; moment < 10; moment++) {
    await pause(500)
    least = Math.min(least, (await server.memory()) ?? Number.NaN)
  }
  return least
}

export async function openGateway(bench: BenchContext, agents: number) {
  const server = await startPostgres()
  bench.atEnd(server.stop)
  const folder = await bench.folder('gateway')
  const database = await openDatabase({ url: server.url, folder })
  bench.atEnd(database.close)
  await migrate(database.db, migrationsOf([maple]))
  const db = database.db.withTables<MapleTables>()
  await fill(db, agents)
  const [port, mqttPort] = [await freePort(), await freePort()]
  const start = (more: Record<string, string> = {}) =>
    startPlatform(bench, {
      DATABASE_URL: server.url,
      GROVE_DATA: folder,
      GROVE_LOG: 'error',
      GROVE_PORT: String(port),
      GROVE_MQTT_PORT: String(mqttPort),
      GROVE_SERVICES: 'gateway',
      GROVE_AUTH_JWKS_URL: 'http://127.0.0.1:9/keys',
      ...more,
    })
  const devices = openDeviceHub(randomUUID(), database.notices)
  return { db, devices, start, mqtt: `mqtt://127.0.0.1:${mqttPort}` }
}

/** The agents reconnect to the port that they know. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function fill(db: MapleDb, agents: number): Promise<void> {
  const all = Array.from({ length: agents }, (_, index) => index)
  for (let from = 0; from < agents; from += batchRows) {
    const part = all.slice(from, from + batchRows)
    const ids = part.map(deviceOf)
    const hashes = part.map((index) => createHash('sha256').update(secretOf(index)).digest('hex'))
    await sql`
      insert into maple.device (id, name, name_key, type, state)
      select id, id, id, 'iot', 'accepted' from unnest(${ids}::text[]) as id`.execute(db)
    await sql`
      insert into maple.device_credential (id, device_id, secret_hash)
      select gen_random_uuid(), id, hash
      from unnest(${ids}::text[], ${hashes}::text[]) as given (id, hash)`.execute(db)
  }
}

async function measureHeartbeats(
  gateway: ServerProcess,
  fleet: Fleet,
  agents: number,
): Promise<Row[]> {
  const seconds = 10
  const cost = async (work: () => Promise<unknown>) => {
    const before = (await gateway.processorTime()) ?? Number.NaN
    await work()
    return ((await gateway.processorTime()) ?? Number.NaN) - before
  }
  const idle = await cost(() => pause(seconds * 1000))
  const busy = await cost(async () => {
    fleet.order({ send: 1, everyMs: seconds * 1000 })
    await pause(seconds * 1000)
    await fleet.allStored()
  })
  return [
    row('processor time without messages', idle / seconds, 'ms a second'),
    row('processor time of a message', ((busy - idle) * 1000) / agents, 'µs', {
      note: `${Math.round(agents / seconds)} a second, stored and acknowledged`,
    }),
  ]
}

async function measureNotices(db: MapleDb, fleet: Fleet, bench: BenchContext): Promise<Row> {
  const { agents, notices } = sizes(bench.isQuick)
  const chosen = Array.from({ length: notices }, (_, n) => Math.floor((n * agents) / notices))
  const sent = new Map<number, number>()
  for (const index of chosen) {
    await sql`insert into maple.device_notice (device_id) values (${deviceOf(index)})`.execute(db)
    sent.set(index, Date.now())
    // At any point of the gateway's polling interval.
    await pause(20 + 30 * Math.random())
  }
  await fleet.until('Notices', () => chosen.every((index) => fleet.changes.has(index)))
  await fleet.allConnected()
  const times = chosen.map((index) => (fleet.changes.get(index) ?? 0) - (sent.get(index) ?? 0))
  return row('from a change to its device, p99', percentile(times, 0.99), 'ms', {
    budget: { atMost: 2000 },
    note: `${notices} notices`,
  })
}

async function measureCommands(
  db: MapleDb,
  devices: DeviceHub,
  fleet: Fleet,
  bench: BenchContext,
): Promise<Row> {
  const { agents, commands } = sizes(bench.isQuick)
  const sent = new Map<string, number>()
  for (let n = 0; n < commands; n++) {
    const [id, deviceId] = [randomUUID(), deviceOf(Math.floor((n * agents) / commands))]
    sent.set(id, Date.now())
    const given = { id, deviceId, serviceId: null, name: 'ping', data: 'null', createdBy: null }
    await insertCommand(db, { ...given, encoded: null, hours: 1 })
    await devices.tell('work', [deviceId])
    await pause(10)
  }
  await fleet.until('Commands', () => fleet.commands.size >= commands)
  const times = [...sent].map(([id, at]) => (fleet.commands.get(id) ?? Infinity) - at)
  return row('from a command to its device, p99', percentile(times, 0.99), 'ms', {
    budget: { atMost: 250 },
    note: `${commands} commands, a hundred a second at most`,
  })
}

/** Missing or duplicate numbers, and messages that the counts lack. */
export async function countWrong(db: MapleDb): Promise<number> {
  const { rows } = await sql<{ wrong: number }>`
    select coalesce(sum(stream.lost + abs(stream.seq - coalesce(found.count, 0))), 0)::int as wrong
    from maple.device_stream as stream left join (
      select device_id, boot, count(*) as count from maple.device_message group by device_id, boot
    ) as found using (device_id, boot)`.execute(db)
  return rows[0]?.wrong ?? Number.NaN
}

async function measureIntake(db: MapleDb, fleet: Fleet, bench: BenchContext): Promise<Row> {
  const { agents, messages } = sizes(bench.isQuick)
  const total = agents * messages
  const count = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from maple.device_message`.execute(db)
    return rows[0]?.count ?? 0
  }
  const before = await count()
  const start = performance.now()
  fleet.order({ send: messages, everyMs: 0 })
  await fleet.until('Sending', () => fleet.sum('waiting') > 0)
  await fleet.allStored()
  const rate = total / ((performance.now() - start) / 1000)
  const stored = (await count()) - before
  if (stored !== total) throw new Error(`${stored} of ${total} messages were stored.`)
  const bare = await bareRate(db, total)
  return row('intake against a bare batched insert', (rate / bare) * 100, '%', {
    budget: { atLeast: 50 },
    note: `${Math.round(rate)} messages a second against ${Math.round(bare)}`,
  })
}

/** Rows per second into a table of the same shape. */
export async function bareRate(db: MapleDb, total: number): Promise<number> {
  await sql`create table maple.bare_message (like maple.device_message including all)`.execute(db)
  const data = JSON.stringify({ temperature: 21.5, place: 1 })
  const start = performance.now()
  for (let from = 0; from < total; from += batchRows) {
    const part = Array.from({ length: Math.min(batchRows, total - from) }, (_, n) => from + n)
    await sql`
      insert into maple.bare_message (device_id, kind, boot, seq, sent_at, data)
      select device_id, kind, boot, seq, to_timestamp(sent_at), data::json
      from unnest(${part.map((n) => deviceOf(n % 10_000))}::text[], ${part.map(() => 'telemetry')}::text[],
        ${part.map(() => 'boot')}::text[], ${part}::bigint[],
        ${part.map(() => Date.now() / 1000)}::float8[], ${part.map(() => data)}::text[])
        as given (device_id, kind, boot, seq, sent_at, data)`.execute(db)
  }
  const rate = total / ((performance.now() - start) / 1000)
  await sql`drop table maple.bare_message`.execute(db)
  return rate
}
