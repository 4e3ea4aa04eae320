import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { maxPointsOfMessage } from '@grove/contract/maple/connect/telemetry.rules'
import { explaining, readsOf, type Plan } from '../../../../core/testing/explained-plans.ts'
import { gatewayWorld, type GatewayWorld } from '../gateway/testing/gateway-world.ts'
import { maple } from '../../index.ts'
import { dropDaysBefore, makeDays } from '../../base/day-partitions.ts'
import { readColumns } from './telemetry.queries.ts'
import { numbersOf } from './telemetry.rules.ts'
import { tidyTelemetry } from './telemetry.service.ts'

let world: GatewayWorld
beforeAll(async () => {
  world = await gatewayWorld()
})
afterEach(() => world.disconnectAll())
afterAll(() => world.close())

const hourMs = 3_600_000
const rangeOf = (deviceId: string, from: number, to: number) =>
  `deviceId=${encodeURIComponent(deviceId)}&from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`
const pointsOf = async (id: string) =>
  (
    await sql<{ key: string; at: string; value: number; sentAt: string | null }>`
      select key, ts as at, value, sent_at as "sentAt" from maple.telemetry
      where device_id = ${id} order by key, ts`.execute(world.db)
  ).rows
const measure = (seq: number, d: unknown, ts?: number) =>
  JSON.stringify({ t: 'telemetry', boot: 'boot-1', seq, d, ...(ts !== undefined && { ts }) })

test('the numbers of a message are named by their keys', () => {
  expect(
    numbersOf({ temperature: 21.5, gps: { lat: 1, lon: -2 }, on: true, list: [1], 'a\u0000': 3 }),
  ).toEqual([
    { key: 'temperature', value: 21.5 },
    { key: 'gps.lat', value: 1 },
    { key: 'gps.lon', value: -2 },
  ])
  expect(numbersOf(7)).toEqual([{ key: 'value', value: 7 }])
  expect(numbersOf(JSON.parse('{"a":1e999,"":1,"\\ud800":2}'))).toEqual([])
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`k${n}`, n]))
  expect(numbersOf(many)).toHaveLength(maxPointsOfMessage)
  expect(numbersOf({ ['k'.repeat(129)]: 1 })).toEqual([])
})

test('measurements are stored by their time, once, even if they are resent', async () => {
  const { id, secret } = await world.device()
  const at = Date.now() - hourMs
  const link = await world.welcomed(secret)
  for (const seq of [1, 2, 2, 1]) link.say(measure(seq, { temperature: seq }, at + seq))
  // At the same moment as the first.
  link.say(measure(3, { temperature: 3 }, at + 1))
  await link.until('ack', ({ seq }) => seq === 3)
  expect(await pointsOf(id)).toMatchObject([
    { key: 'temperature', value: 1, sentAt: null },
    { value: 3 },
    { value: 2 },
  ])
})

test('measurements from days offline are shown at their own time', async () => {
  const { id, secret } = await world.device()
  const link = await world.welcomed(secret)
  const began = Date.now() - 3 * 24 * hourMs
  const minutes = Array.from({ length: 40 }, (_, n) => n)
  for (const n of minutes) link.say(measure(n + 1, { n }, began + n * 60_000))
  // The oldest retained day, and a time slightly in the future.
  const oldest = Date.now() - 89 * 24 * hourMs
  link.say(measure(41, { old: 1 }, oldest))
  link.say(measure(42, { ahead: 1 }, Date.now() + 200_000))
  await link.until('ack', ({ seq }) => seq === 42)
  const points = await pointsOf(id)
  expect(points.every(({ sentAt }) => sentAt === null)).toBe(true)
  const measured = points.filter(({ key }) => key === 'n')
  expect(measured.map(({ value, at }) => [value, Math.floor(Date.parse(at))])).toEqual(
    minutes.map((n) => [n, began + n * 60_000]),
  )
  const { body } = await world.ask(
    'GET',
    `device/telemetry?${rangeOf(id, began - hourMs, began + 2 * hourMs)}&key=n&columns=180`,
  )
  expect(body.items).toHaveLength(40)
  expect(body.clamped).toBe(0)
})

test('an impossible clock stops nobody, is reported, and its readings are kept', async () => {
  const [off, right] = [await world.device(), await world.device()]
  const links = [await world.welcomed(off.secret), await world.welcomed(right.secret)] as const
  const now = Date.now()
  const times = [
    0,
    now - 91 * 24 * hourMs,
    now + 10 * 60_000,
    now + 25 * hourMs,
    253_402_300_799_999,
  ]
  for (const [index, ts] of times.entries()) links[0].say(measure(index + 1, { n: index }, ts))
  links[1].say(measure(1, { n: 1 }, now))
  await Promise.all([
    links[0].until('ack', ({ seq }) => seq === times.length),
    links[1].until('ack'),
  ])
  const points = await pointsOf(off.id)
  expect(points.map(({ value }) => value).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4])
  for (const { at, sentAt, value } of points) {
    // At its time of arrival.
    expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(60_000)
    expect(Date.parse(sentAt ?? '')).toBe(times[value])
  }
  expect(await pointsOf(right.id)).toMatchObject([{ value: 1, sentAt: null }])
  const { body } = await world.ask(
    'GET',
    `device/telemetry?${rangeOf(off.id, now - hourMs, now + hourMs)}&key=n`,
  )
  expect(body.clamped).toBe(5)
  const messagesOf = async (id: string) =>
    (await world.ask('GET', `device/connection?deviceId=${id}`)).body.messages
  const clocks = async (id: string) =>
    (await messagesOf(id)).map(({ isClockOff }: { isClockOff: boolean }) => isClockOff)
  expect(await clocks(off.id)).toEqual([true, true, true, true, true])
  expect(await clocks(right.id)).toEqual([false])
})

test('a clock outside the calendar refuses no reading', async () => {
  const { id, secret } = await world.device()
  const { say, until } = await world.welcomed(secret)
  const now = Date.now()
  const times = [-1, 1.5, 1e20, 8.64e15, now * 1000, now * 1_000_000]
  for (const [index, ts] of times.entries()) say(measure(index + 1, { n: index }, ts))
  await until('ack', ({ seq }) => seq === times.length)
  const points = await pointsOf(id)
  expect(points).toHaveLength(times.length)
  for (const { at, sentAt } of points) {
    expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(60_000)
    expect(sentAt).not.toBeNull()
  }
  const { body } = await world.ask('GET', `device/connection?deviceId=${id}`)
  expect(body).toMatchObject({ lost: 0, refused: null })
  for (const { isClockOff } of body.messages) expect(isClockOff).toBe(true)
})

test('a day dropped meanwhile is created again for the retry', async () => {
  const { id, secret } = await world.device()
  const at = Date.now() - 20 * 24 * hourMs
  const day = new Date(at).toISOString().slice(0, 10).replaceAll('-', '')
  const first = await world.welcomed(secret)
  first.say(measure(1, { n: 1 }, at))
  await first.until('ack')
  await sql`drop table ${sql.table(`maple.telemetry_${day}`)}`.execute(world.db)
  first.say(measure(2, { n: 2 }, at))
  expect(await first.until('bye')).toMatchObject({ code: 'unavailable' })
  const second = await world.welcomed(secret)
  second.say(measure(2, { n: 2 }, at))
  await second.until('ack', ({ seq }) => seq === 2)
  expect(await pointsOf(id)).toMatchObject([{ value: 2 }])
})

test('a chart has the minimum, maximum, first and last value of each column', async () => {
  const { id } = await world.device()
  const start = Math.floor(Date.now() / hourMs) * hourMs - hourMs
  await sql`
    insert into maple.telemetry (device_id, key, ts, value)
    select ${id}, 'load', to_timestamp(${start / 1000}) + n * interval '1 second',
      case n when 900 then 1000 when 901 then -1000 else n end
    from generate_series(0, 3599) as n`.execute(world.db)
  const { body } = await world.ask(
    'GET',
    `device/telemetry?${rangeOf(id, start, start + hourMs)}&key=load&columns=4`,
  )
  expect(body.items.map(({ at, ...column }: { at: string }) => [Date.parse(at), column])).toEqual([
    [start, { min: 0, max: 899, first: 0, last: 899, count: 900 }],
    [start + 900_000, { min: -1000, max: 1799, first: 1000, last: 1799, count: 900 }],
    [start + 1_800_000, { min: 1800, max: 2699, first: 1800, last: 2699, count: 900 }],
    [start + 2_700_000, { min: 2700, max: 3599, first: 2700, last: 3599, count: 900 }],
  ])
  const keys = await world.ask('GET', `device/telemetry/key?${rangeOf(id, start, start + hourMs)}`)
  expect(keys.body.items).toMatchObject([{ key: 'load', value: 3599 }])
})

test('a chart reads only the days of its range, by the key', async () => {
  const { id } = await world.device()
  const now = Date.now()
  const plans: Plan[] = []
  const range = {
    deviceId: id,
    from: new Date(now - hourMs).toISOString(),
    to: new Date(now).toISOString(),
  }
  const db = world.db.withPlugin(explaining('maple.telemetry', plans))
  await readColumns(db, range, { key: 'load', columns: 10 })
  const reads = readsOf(plans, 'telemetry').filter((node) =>
    String(node['Relation Name']).startsWith('telemetry_'),
  )
  for (const node of reads) expect(node['Node Type']).toMatch(/^(Index|Bitmap Heap|Bitmap Index)/)
})

test('the file contains every point, safe for a spreadsheet', async () => {
  const { id, secret } = await world.device()
  const at = Date.now() - hourMs
  const link = await world.welcomed(secret)
  link.say(measure(1, { '=1+1': 1, 'a,b': 2.5 }, at))
  link.say(measure(2, { 'a,b': -3 }, at + 1000))
  await link.until('ack', ({ seq }) => seq === 2)
  const url = `/api/maple/device/telemetry/export?${rangeOf(id, at - 1, at + hourMs)}`
  const answer = await world.server.app.inject({ url, headers: world.headers })
  expect(answer.headers['content-disposition']).toContain(`telemetry-${id}.csv`)
  const lines = answer.body.trim().split('\r\n')
  expect(lines[0]).toBe('time,key,value,device_time')
  expect(lines.slice(1).map((line) => line.slice(line.indexOf(',') + 1))).toEqual([
    "'=1+1,1,",
    '"a,b",2.5,',
    '"a,b",-3,',
  ])
})

test('days older than the setting are dropped, and coming ones are created', async () => {
  const { db } = world
  const days = async () =>
    (
      await sql<{ name: string }>`
        select relname as name from pg_inherits join pg_class as child on child.oid = inhrelid
        where inhparent = 'maple.telemetry'::regclass order by 1`.execute(db)
    ).rows.map(({ name }) => name.slice(-8))
  const dayOf = (offset: number) =>
    new Date(Date.now() + offset * 24 * hourMs).toISOString().slice(0, 10).replaceAll('-', '')
  await sql`select maple.make_telemetry_day((now() at time zone 'UTC')::date - 91)`.execute(db)
  await sql`select maple.make_telemetry_day((now() at time zone 'UTC')::date - 89)`.execute(db)
  await sql`drop table ${sql.table(`maple.telemetry_${dayOf(2)}`)}`.execute(db)
  const context = await maple.open(world.server.platform)
  await tidyTelemetry(context, new AbortController().signal)
  const all = await days()
  expect(all).not.toContain(dayOf(-91))
  for (const offset of [-89, -1, 0, 1, 2]) expect(all).toContain(dayOf(offset))
  // On the embedded and the other database alike: no partition accepts a reading without a day.
  expect(all.every((name) => /^\d{8}$/.test(name))).toBe(true)
})

// The embedded database has one connection.
test.skipIf(process.env['GROVE_TEST_ENGINE'] !== 'postgres')(
  'days are created and dropped during long reads, and no reading waits for that @long',
  async () => {
    const { db } = world
    const day = new Date(Date.now() - 40 * 24 * hourMs).toISOString().slice(0, 10)
    const next = new Date(Date.now() - 39 * 24 * hourMs).toISOString().slice(0, 10)
    const exists = async () =>
      (
        await sql<{ isThere: boolean }>`
          select to_regclass(${`maple.telemetry_${day.replaceAll('-', '')}`}) is not null
            as "isThere"`.execute(db)
      ).rows[0]?.isThere
    const store = (n: number) =>
      sql`insert into maple.telemetry (device_id, key, ts, value)
        values ('d', 'k', ${`${day}T12:00:0${n}Z`}::timestamptz, 1)`.execute(db)
    await db.transaction().execute(async (reader) => {
      await sql`select count(*) from maple.telemetry`.execute(reader)
      expect(await makeDays(db, 'telemetry', [day])).toBe(true)
      await store(1)
      await dropDaysBefore(db, 'telemetry', next)
      await store(2)
      expect(await exists()).toBe(true)
    })
    await dropDaysBefore(db, 'telemetry', next)
    expect(await exists()).toBe(false)
  },
)

test.each([
  ['an end before its beginning', 0, -1],
  ['more than a year', 0, 400 * 24 * hourMs],
])('a range with %s is refused', async (_, from, to) => {
  const { id } = await world.device()
  const now = Date.now()
  expect(
    (await world.ask('GET', `device/telemetry?${rangeOf(id, now + from, now + to)}&key=a`)).status,
  ).toBe(400)
})
