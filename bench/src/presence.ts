import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { endDeviceSessions } from '../../apps/platform/src/services/maple/connect/device-session/device-session.queries.ts'
import {
  beginConnections,
  connectionsOf,
  endConnections,
  touchPresence,
  type Beginning,
} from '../../apps/platform/src/services/maple/connect/gateway/gateway.queries.ts'
import type { MapleDb } from '../../apps/platform/src/services/maple/base/tables.ts'
import { row, type Benchmark } from './benchmark.ts'
import { openMapleDatabase } from './support/session-database.ts'
import { median, timed } from './support/statistics.ts'

const gateways = 10
/** Per gateway: connections opened together, and heartbeats written together. */
const beginRows = 500
const touchRows = 5000

export const presenceBenchmark: Benchmark = {
  name: 'presence',
  title: 'A hundred thousand devices at the store',
  how: `100,000 devices, connected to ${gateways} gateways, on PostgreSQL, which does not wait for its disk: the functions of the gateway, one batch after another, without sockets. Connections begin in batches of ${beginRows}. Signs of life are written in batches of ${touchRows.toLocaleString('en')}, ten minutes of them, against the update of a table of the same width without a guard. HOT: the share of those updates that touched no index. Storm: one gateway after another is lost and its devices are marked as away, then all of them connect elsewhere; what has no connection, or two, at the end.`,
  isLong: true,
  run: async (bench) => {
    const devices = bench.isQuick ? 5000 : 100_000
    const db = await openMapleDatabase(bench)
    await sql`
      insert into maple.device (id, name, name_key, type, state)
      select 'bench-' || n, n, n, 'iot', 'accepted' from generate_series(0, ${devices - 1}::int) as n
    `.execute(db)
    await sql`
      insert into maple.device_credential (id, device_id, secret_hash)
      select gen_random_uuid(), id, encode(sha256(id::bytea), 'hex') from maple.device`.execute(db)
    const { rows: credentials } = await sql<{ id: string; deviceId: string }>`
      select id, device_id as "deviceId" from maple.device_credential order by random()`.execute(db)
    const connectAll = () =>
      timed(async () => {
        for (const [place, given] of batchesOf(credentials.map(beginning), beginRows).entries())
          await beginConnections(db, gatewayOf(place), given)
      })
    const ids = Array.from({ length: gateways }, () => randomUUID())
    const gatewayOf = (place: number) => ids[place % gateways] ?? ''

    const begun = await connectAll()
    bench.say('all connected')
    const life = await measureLife(db)
    bench.say('signs of life written')
    const lost = await timed(async () => {
      for (const id of ids) await loseGateway(db, id)
    })
    const away = await countOf(db, sql`maple.device where state = 'offline'`)
    const back = await connectAll()
    const there = await countOf(db, sql`maple.device where state = 'online'`)
    const open = await countOf(db, sql`maple.device_session where state = 'active'`)
    const wrong = Math.abs(devices - away) + Math.abs(devices - there) + Math.abs(devices - open)

    const perSecond = (ms: number) => `${Math.round((devices / ms) * 1000)} a second`
    return {
      rows: [
        row('all connect', begun / 1000, 's', { note: perSecond(begun) }),
        row('signs of life of a minute', life.ms / 1000, 's', {
          budget: { atMost: 6 },
          note: perSecond(life.ms),
        }),
        row('the same against a bare update', (life.bareMs / life.ms) * 100, '%', {
          note: perSecond(life.bareMs),
        }),
        row('of them HOT', life.hot * 100, '%', { budget: { atLeast: 90 } }),
        row('all gateways lost, devices away', lost / 1000, 's', { note: perSecond(lost) }),
        row('all back', back / 1000, 's', { note: perSecond(back) }),
        row('devices lost or doubled', wrong, '', { budget: { atMost: 0 } }),
      ],
    }
  },
}

const beginning = ({ id, deviceId }: { id: string; deviceId: string }): Beginning => ({
  deviceId,
  credentialId: id,
  serviceId: null,
  connectionId: randomUUID(),
  protocol: 'websocket',
  ip: '192.0.2.1',
  boot: 'bench',
  agent: 'bench 1.0',
  firmware: '1.0.0',
  elements: [],
})

/** Ten minutes: each writes all connections once. Medians per minute. */
async function measureLife(db: MapleDb) {
  const { rows } = await sql<{ deviceId: string; connectionId: string }>`
    select device_id as "deviceId", connection_id as "connectionId" from maple.device_presence
  `.execute(db)
  await sql`
    create table maple.bare_presence (like maple.device_presence including all)`.execute(db)
  await sql`insert into maple.bare_presence select * from maple.device_presence`.execute(db)
  const before = await updatesOf(db)
  const [own, bare]: [number[], number[]] = [[], []]
  for (let minute = 1; minute <= 10; minute++) {
    const seenAt = Date.now() + minute * 60_000
    const all = batchesOf(
      rows.map((each) => ({ ...each, seenAt, messages: minute })),
      touchRows,
    )
    own.push(await timed(() => each(all, (batch) => touchPresence(db, batch))))
    bare.push(
      await timed(() =>
        each(all, (batch) =>
          sql`
            update maple.bare_presence as presence set seen_at = to_timestamp(${seenAt / 1000}::float8)
            from unnest(${batch.map(({ deviceId }) => deviceId).toSorted()}::text[]) as given (id)
            where presence.device_id = given.id`.execute(db),
        ),
      ),
    )
  }
  // A process writes its counts after a short idle time.
  await new Promise((resolve) => setTimeout(resolve, 2000))
  const after = await updatesOf(db)
  await sql`drop table maple.bare_presence`.execute(db)
  return {
    ms: median(own),
    bareMs: median(bare),
    hot: (after.hot - before.hot) / (after.all - before.all),
  }
}

async function each<Item>(all: readonly Item[], work: (item: Item) => Promise<unknown>) {
  for (const item of all) await work(item)
}

async function updatesOf(db: MapleDb): Promise<{ all: number; hot: number }> {
  const { rows } = await sql<{ all: number; hot: number }>`
    select n_tup_upd::float8 as all, n_tup_hot_upd::float8 as hot from pg_stat_user_tables
    where schemaname = 'maple' and relname = 'device_presence'`.execute(db)
  return rows[0] ?? { all: 0, hot: 0 }
}

/** How another gateway takes over the devices of a dead one. */
async function loseGateway(db: MapleDb, id: string): Promise<void> {
  for (;;) {
    const lost = await connectionsOf(db, id, touchRows)
    await endConnections(db, lost)
    await endDeviceSessions(
      db,
      lost.map(({ seenAt, ...connection }) => ({ ...connection, endedAt: seenAt, reason: 'lost' })),
    )
    if (lost.length < touchRows) return
  }
}

async function countOf(db: MapleDb, from: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${from}`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

function batchesOf<Item>(all: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(all.length / size)
  return Array.from({ length: count }, (_, at) => all.slice(at * size, (at + 1) * size))
}
