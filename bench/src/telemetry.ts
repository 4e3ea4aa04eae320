import { sql } from 'kysely'
import {
  storeMessages,
  type GivenMessage,
} from '../../apps/platform/src/services/maple/connect/gateway/intake.queries.ts'
import type { MapleDb } from '../../apps/platform/src/services/maple/base/tables.ts'
import {
  readChart,
  rollNextHour,
} from '../../apps/platform/src/services/maple/connect/telemetry/telemetry-hour.queries.ts'
import { readingClock } from '../../apps/platform/src/services/maple/connect/telemetry/telemetry.rules.ts'
import { telemetryStore } from '../../apps/platform/src/services/maple/connect/telemetry/telemetry-store.ts'
import { row, type Benchmark, type Row } from './benchmark.ts'
import type { BenchContext } from './support/bench-context.ts'
import { openMapleDatabase } from './support/session-database.ts'
import { createRandom, percentile, timed } from './support/statistics.ts'

/** Messages of one gateway batch, each with two numbers. */
const batchRows = 5000
const boot = 'bench'
const keys = ['temperature', 'humidity'] as const
const chartKey = 'temperature'
/** Seconds between two points. */
const stepSeconds = 10
const chartColumns = 600
const dayMs = 86_400_000
const charts = { day: 1, week: 7, month: 30, season: 90 } as const
const filledDays = charts.season

const sizes = (isQuick: boolean) =>
  isQuick
    ? { devices: 500, batches: 8, chartDevices: 2, rounds: 10 }
    : { devices: 10_000, batches: 100, chartDevices: 20, rounds: 200 }

export const telemetryBenchmark: Benchmark = {
  name: 'telemetry',
  title: 'Telemetry: intake and charts',
  how: `Intake: batches of ${batchRows.toLocaleString('en')} messages with two numbers each, from 10,000 devices, by the function that the gateway stores its batches with (places of boots, messages, points, one transaction), against the same rows in two statements a batch into tables with the same indexes, without a transaction around them; the two take turns, batch by batch, in one process, on a PostgreSQL that does not wait for its disk. Charts: 20 devices with a point every ${stepSeconds} seconds for ${filledDays} days; the query of the service for ${chartColumns} columns of a device chosen at random up to now, one at a time, without HTTP; those of a week and longer read hours, which are put together before.`,
  isLong: true,
  run: async (bench) => {
    const db = await openMapleDatabase(bench)
    return { rows: [...(await measureIntake(db, bench)), ...(await measureCharts(db, bench))] }
  },
}

const deviceOf = (index: number) => `bench-${index}`

async function addDevices(db: MapleDb, count: number): Promise<void> {
  await sql`
    insert into maple.device (id, name, name_key, type, state)
    select 'bench-' || n, n, n, 'iot', 'accepted' from generate_series(0, ${count - 1}::int) as n
  `.execute(db)
  await sql`
    insert into maple.device_stream (device_id, boot)
    select id, ${boot} from maple.device`.execute(db)
}

async function measureIntake(db: MapleDb, bench: BenchContext): Promise<Row[]> {
  const { devices, batches } = sizes(bench.isQuick)
  await addDevices(db, devices)
  await sql`create table maple.bare_message (like maple.device_message including all)`.execute(db)
  await sql`create table maple.bare_point (like maple.telemetry including all)`.execute(db)
  let stored = 0
  let bare = 0
  let points = 0
  // The first batch is a warm-up: it plans the statements.
  for (let batch = 0; batch <= batches; batch += 1) {
    const given = messagesOf(batch, devices)
    const took = [
      await timed(() =>
        storeMessages(
          { db, telemetry: telemetryStore(db, undefined) },
          given,
          readingClock(Date.now(), 90),
        ),
      ),
      await timed(() => insertMessages(db, given)),
      await timed(() => insertPoints(db, given)),
    ] as const
    if (batch === 0) continue
    stored += took[0]
    bare += took[1] + took[2]
    points += took[2]
    if (batch % 20 === 0) bench.say(`${batch} of ${batches} batches`)
  }
  await expectStored(db, (batches + 1) * batchRows)
  const perSecond = (ms: number) => Math.round((batches * batchRows) / (ms / 1000))
  await sql`drop table maple.bare_message, maple.bare_point`.execute(db)
  return [
    row('intake against a bare batched insert', (bare / stored) * 100, '%', {
      budget: { atLeast: 50 },
      note: `${perSecond(stored)} messages a second against ${perSecond(bare)}, two points each`,
    }),
    row('intake against the insert of its points alone', (points / stored) * 100, '%', {
      note: `against ${perSecond(points)} messages a second`,
    }),
  ]
}

/** Some seconds of a fleet: each device sends its next numbers. */
const messagesOf = (batch: number, devices: number): GivenMessage[] =>
  Array.from({ length: batchRows }, (_, at) => {
    const place = batch * batchRows + at
    const seq = Math.floor(place / devices) + 1
    const d = { temperature: 20 + (place % 100) / 10, humidity: 40 + (place % 37) }
    return {
      deviceId: deviceOf(place % devices),
      message: { t: 'telemetry', boot, seq, ts: Date.now(), d },
    }
  })

const insertMessages = (db: MapleDb, given: readonly GivenMessage[]) =>
  sql`
    insert into maple.bare_message (device_id, kind, boot, seq, sent_at, data)
    select device_id, 'telemetry', ${boot}::text, seq, to_timestamp(sent_at), data::json
    from unnest(
      ${given.map(({ deviceId }) => deviceId)}::text[],
      ${given.map(({ message }) => message.seq)}::bigint[],
      ${given.map(({ message }) => (message.ts ?? 0) / 1000)}::float8[],
      ${given.map(({ message }) => ('d' in message ? JSON.stringify(message.d) : 'null'))}::text[]
    ) as given (device_id, seq, sent_at, data)`.execute(db)

function insertPoints(db: MapleDb, given: readonly GivenMessage[]) {
  const all = given.flatMap(({ deviceId, message }) =>
    keys.map((key) => ({ deviceId, key, value: valueOf(message, key), message })),
  )
  return sql`
    insert into maple.bare_point (device_id, key, ts, value)
    select device_id, key, to_timestamp(at), value from unnest(
      ${all.map(({ deviceId }) => deviceId)}::text[], ${all.map(({ key }) => key)}::text[],
      ${all.map(({ message }) => (message.ts ?? 0) / 1000 + message.seq / 1e6)}::float8[],
      ${all.map(({ value }) => value)}::float8[]
    ) as given (device_id, key, at, value)`.execute(db)
}

const valueOf = (message: GivenMessage['message'], key: (typeof keys)[number]): number =>
  'd' in message ? Number(Object(message.d)[key]) : Number.NaN

/** A store that dropped messages would be fast. */
async function expectStored(db: MapleDb, messages: number): Promise<void> {
  const { rows } = await sql<{ messages: number; points: number }>`
    select (select count(*) from maple.device_message)::int as messages,
      (select count(*) from maple.telemetry)::int as points`.execute(db)
  const [found] = rows
  if (found?.messages !== messages || found.points !== messages * keys.length)
    throw new Error(`${found?.messages} messages and ${found?.points} points of ${messages}.`)
}

async function measureCharts(db: MapleDb, bench: BenchContext): Promise<Row[]> {
  const { chartDevices, rounds } = sizes(bench.isQuick)
  const now = Date.now()
  await fillHistory(db, { devices: chartDevices, until: now, bench })
  const rows = [await measureHours(db, { devices: chartDevices, until: now, bench })]
  const random = createRandom(1)
  for (const [name, days] of Object.entries(charts)) {
    const times: number[] = []
    for (let round = -3; round < rounds; round += 1) {
      const deviceId = `chart-${Math.floor(random() * chartDevices)}`
      const range = {
        deviceId,
        from: new Date(now - days * dayMs).toISOString(),
        to: new Date(now).toISOString(),
      }
      const took = await timed(async () => {
        const columns = await readChart(db, range, { key: chartKey, columns: chartColumns })
        if (columns.length < Math.min(chartColumns, days * 24) - 1)
          throw new Error(`${columns.length} columns were read.`)
      })
      if (round >= 0) times.push(took)
    }
    rows.push(
      row(`chart of a ${name}, p95`, percentile(times, 0.95), 'ms', {
        budget: { atMost: 50 },
        note: `${(days * 8640).toLocaleString('en')} points, median ${percentile(times, 0.5).toFixed(1)} ms`,
      }),
    )
  }
  return rows
}

/** The hourly job for everything that was filled in. */
async function measureHours(db: MapleDb, { devices, until, bench }: History): Promise<Row> {
  const from = new Date(until - filledDays * dayMs).toISOString().slice(0, 13)
  await sql`update maple.telemetry_rolled set until = ${`${from}:00:00Z`}::timestamptz`.execute(db)
  let hours = 0
  const took = await timed(async () => {
    while (await rollNextHour(db)) {
      hours += 1
      if (hours % 500 === 0) bench.say(`${hours} hours put together`)
    }
  })
  await sql`vacuum (analyze) maple.telemetry_hour`.execute(db)
  const points = (hours * devices * 3600) / stepSeconds
  return row('points put together by hours', points / (took / 1000), '/s', {
    note: `${hours} hours of ${devices} devices`,
  })
}

interface History {
  devices: number
  until: number
  bench: BenchContext
}

async function fillHistory(db: MapleDb, { devices, until, bench }: History): Promise<void> {
  await db.connection().execute(async (connection) => {
    await sql`set statement_timeout = 0`.execute(connection)
    for (let ago = filledDays; ago >= 0; ago -= 1) {
      const day = new Date(until - ago * dayMs).toISOString().slice(0, 10)
      await sql`select maple.make_telemetry_day(${day}::date)`.execute(connection)
      await sql`
        insert into maple.telemetry (device_id, key, ts, value)
        select 'chart-' || device, ${chartKey}::text, ts, 20 + random()
        from generate_series(${`${day}T00:00:00Z`}::timestamptz,
          least(${`${day}T23:59:59Z`}::timestamptz, ${new Date(until).toISOString()}::timestamptz),
          make_interval(secs => ${stepSeconds})) as ts,
          generate_series(0, ${devices - 1}::int) as device`.execute(connection)
      if (ago % 10 === 0) bench.say(`history up to ${day}`)
    }
    await sql`vacuum (analyze) maple.telemetry`.execute(connection)
    await sql`reset statement_timeout`.execute(connection)
  })
}
