import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  explaining,
  readsOf,
  rowsRead,
  type Plan,
} from '../../../../core/testing/explained-plans.ts'
import { gatewayWorld, type GatewayWorld } from '../gateway/testing/gateway-world.ts'
import { maple } from '../../index.ts'
import { readChart, readHours, rollLateHours, rollNextHour } from './telemetry-hour.queries.ts'
import { readColumns } from './telemetry.queries.ts'
import { rollTelemetry, tidyTelemetry } from './telemetry.service.ts'

let world: GatewayWorld
beforeAll(async () => {
  world = await gatewayWorld()
})
afterEach(() => world.disconnectAll())
afterAll(() => world.close())

const hourMs = 3_600_000
const thisHour = () => Math.floor(Date.now() / hourMs) * hourMs
const iso = (at: number) => new Date(at).toISOString()
const key = 'load'

/** Everything before a moment counts as done, everything after it is to be done. */
const doneUntil = (at: number) =>
  sql`update maple.telemetry_rolled set until = ${iso(at)}::timestamptz`.execute(world.db)

/** A point every ten seconds for some hours up to the present one, with a spike in each. */
async function fill(id: string, hours: number) {
  const [from, to] = [thisHour() - hours * hourMs, Date.now()]
  await sql`
    select maple.make_telemetry_day(day::date)
    from generate_series(${iso(from)}::timestamptz::date, now()::date, '1 day') as day
  `.execute(world.db)
  await sql`
    insert into maple.telemetry (device_id, key, ts, value, sent_at)
    select ${id}, ${key}, to_timestamp(${from / 1000} + n * 10),
      case n % 360 when 77 then 1000 + n when 78 then -1000 - n else n % 50 end,
      case when n % 1000 = 0 then now() end
    from generate_series(0, ${Math.floor((to - from) / 10_000)}::int) as n`.execute(world.db)
  return { deviceId: id, from, to }
}

const rollAll = async () => {
  const context = await maple.open(world.server.platform)
  await rollTelemetry(context, new AbortController().signal)
}

test('a chart of hourly values matches a chart of all points', async () => {
  const { id } = await world.device()
  const { from } = await fill(id, 50)
  await doneUntil(from)
  await rollAll()
  const { rows } = await sql<{ until: string }>`select until from maple.telemetry_rolled`.execute(
    world.db,
  )
  // The hour that is over for a while is done, and none that is not.
  const open = Date.now() - Date.parse(rows[0]?.until ?? '')
  expect(open).toBeGreaterThan(0)
  expect(open).toBeLessThan(1.25 * hourMs)
  // Columns of two hours, aligned to hours: no hour spans two of them.
  const range = { deviceId: id, from: iso(from), to: iso(from + 52 * hourMs) }
  const wide = { key, columns: 26 }
  const all = await readColumns(world.db, range, wide)
  const hours = await readHours(world.db, range, wide)
  expect(hours).toHaveLength(26)
  expect(hours).toEqual(all)
  expect(hours.some(({ clamped }) => clamped > 0)).toBe(true)
  // In the middle of hours, the points at both edges are there as well.
  const odd = { deviceId: id, from: iso(from + hourMs / 3), to: iso(from + 51.1 * hourMs) }
  const counted = (items: readonly { count: number }[]) =>
    items.reduce((sum, { count }) => sum + count, 0)
  expect(counted(await readHours(world.db, odd, { key, columns: 7 }))).toBe(
    counted(await readColumns(world.db, odd, { key, columns: 7 })),
  )
})

test('a chart of a week reads hours, one of three days its points', async () => {
  const { id } = await world.device()
  const { from } = await fill(id, 80)
  await doneUntil(from)
  await rollAll()
  const to = from + 80 * hourMs
  const widths = async (hours: number) => {
    const range = { deviceId: id, from: iso(to - hours * hourMs), to: iso(to) }
    const columns = await readChart(world.db, range, { key, columns: 600 })
    const times = columns.map(({ at }) => Date.parse(at))
    return new Set(times.slice(1).map((at, index) => at - (times[index] ?? 0)))
  }
  expect(await widths(80)).toEqual(new Set([hourMs]))
  expect(await widths(72)).not.toContain(hourMs)
})

test('late points count in their hour, even if it was already processed', async () => {
  const { id, secret } = await world.device()
  const at = thisHour() - 5 * hourMs
  await doneUntil(at - 20 * hourMs)
  await rollAll()
  const link = await world.welcomed(secret)
  const say = (seq: number, value: number) =>
    link.say(
      JSON.stringify({
        t: 'telemetry',
        boot: 'boot-1',
        seq,
        ts: at + seq * 1000,
        d: { load: value },
      }),
    )
  say(1, 7)
  say(2, -3)
  // In the present hour: it is not late.
  link.say(JSON.stringify({ t: 'telemetry', boot: 'boot-1', seq: 3, d: { load: 1 } }))
  await link.until('ack', ({ seq }) => seq === 3)
  const notes = await sql<{ hour: string }>`
    select distinct hour from maple.telemetry_late where device_id = ${id}`.execute(world.db)
  expect(notes.rows.map(({ hour }) => Date.parse(hour))).toEqual([at])
  await rollAll()
  const hoursOf = async () =>
    (
      await sql<object>`
        select min, max, first, last, count from maple.telemetry_hour where device_id = ${id}
        order by hour`.execute(world.db)
    ).rows
  expect(await hoursOf()).toEqual([{ min: -3, max: 7, first: 7, last: -3, count: 2 }])
  say(4, 99)
  await link.until('ack', ({ seq }) => seq === 4)
  await rollAll()
  expect(await hoursOf()).toEqual([{ min: -3, max: 99, first: 7, last: 99, count: 3 }])
  expect(await rollLateHours(world.db, 10)).toBe(0)
})

test('an hour is processed once, by whichever process is first, and not before it is over', async () => {
  await doneUntil(thisHour() - 2 * hourMs)
  const done = await Promise.all([
    rollNextHour(world.db),
    rollNextHour(world.db),
    rollNextHour(world.db),
  ])
  const isOver = Date.now() - thisHour() > 12 * 60_000
  expect(done.filter(Boolean)).toHaveLength(isOver ? 2 : 1)
})

test('a chart of 90 days reads a few thousand rows', async () => {
  const { id } = await world.device()
  const now = Date.now()
  const from = thisHour() - 90 * 24 * hourMs
  await sql`
    insert into maple.telemetry_hour (device_id, key, hour, min, max, first, last, last_at, count, clamped)
    select device, ${key}, hour, 0, 2, 1, 1, hour, 360, 0
    from (select ${id} as device union all select 'other-' || n from generate_series(1, 30) as n) as device,
      generate_series(${iso(from)}::timestamptz, now(), '1 hour') as hour`.execute(world.db)
  await fill(id, 30)
  await doneUntil(thisHour() - hourMs)
  await sql`vacuum (analyze) maple.telemetry_hour`.execute(world.db)
  await sql`vacuum (analyze) maple.telemetry`.execute(world.db)
  const plans: Plan[] = []
  const db = world.db.withPlugin(explaining('maple.telemetry_hour where', plans))
  const range = { deviceId: id, from: iso(from + 600_000), to: iso(now) }
  const wide = { key, columns: 600 }
  expect((await readHours(world.db, range, wide)).length).toBeGreaterThan(590)
  await readHours(db, range, wide)
  const reads = readsOf(plans, 'telemetry')
  expect(reads.length).toBeGreaterThan(0)
  // Hourly rows, and the points of incomplete hours: a thousand more at the end of an hour than at
  // its beginning. Without hours it would read all 11,000 points, and miss 89 days.
  expect(reads.reduce((sum, node) => sum + rowsRead(node), 0)).toBeLessThan(4500)
})

test('hourly values are kept longer than points, but not forever', async () => {
  const { id } = await world.device()
  const hour = (days: number) => sql`
    insert into maple.telemetry_hour (device_id, key, hour, min, max, first, last, last_at, count, clamped)
    values (${id}, 'old', now() - make_interval(days => ${days}), 0, 0, 0, 0, now(), 1, 0)`
  await hour(700).execute(world.db)
  await hour(740).execute(world.db)
  const context = await maple.open(world.server.platform)
  await tidyTelemetry(context, new AbortController().signal)
  const { rows } = await sql<{ days: number }>`
    select (now()::date - hour::date) as days from maple.telemetry_hour
    where device_id = ${id} and key = 'old'`.execute(world.db)
  expect(rows).toEqual([{ days: 700 }])
})
