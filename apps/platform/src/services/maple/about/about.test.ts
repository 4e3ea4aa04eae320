import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import {
  deviceSorting,
  deviceStates,
  deviceTypes,
  type DeviceSeen,
} from '@grove/contract/maple/fleet/device.rules'
import { processActor } from '../../../core/actor.ts'
import { resourceClient } from '../../../core/testing/resource-client.ts'
import { startTestServer, type TestServer } from '../../../core/testing/test-platform.ts'
import { listDevices } from '../fleet/device/device-list.service.ts'
import { holdBroker } from '../connect/gateway/broker/broker.queries.ts'
import { maple } from '../index.ts'
import type { MapleTables } from '../base/tables.ts'
import { aboutMaple } from './about.service.ts'
import { foldTally } from '../base/tally.queries.ts'

const now = Date.parse('2026-11-22T13:37:42.123Z')
let clock = now
let server: TestServer
let context: Parameters<typeof aboutMaple>[0]
const actor = processActor('test')
beforeAll(async () => {
  server = await startTestServer([maple])
  const { keys, settings } = await maple.open(server.platform)
  context = { db: server.platform.db.withTables<MapleTables>(), now: () => clock, keys, settings }
})
beforeEach(async () => {
  clock = now
  await sql`truncate maple.device, maple.account cascade`.execute(server.platform.db)
})
afterAll(() => server.close())

type DeviceQuery = QueryOf<Calls['GET /api/maple/device']>
const about = () => aboutMaple(context, actor)
const fold = () => foldTally(context.db, clock)
const countOf = async (query: DeviceQuery) =>
  (await listDevices(context, actor, { ...query, count: true, limit: 1 })).count
/** The ids of every page of a list. */
const idsOf = async (query: DeviceQuery) => {
  const ids: string[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await listDevices(context, actor, { ...query, ...(cursor && { cursor }) })
    ids.push(...page.items.map(({ id }) => id))
    cursor = page.next
  }
  return ids
}

interface Row {
  id: string
  type: string
  state: string
  createdAt: string
  seen: string
}

const insert = (rows: readonly Row[], db = server.platform.db) =>
  sql`
    insert into maple.device (id, name, name_key, type, state, created_at, last_seen_at)
    select id, id, id, type, state, created_at, seen
    from unnest(
      ${rows.map(({ id }) => id)}::text[], ${rows.map(({ type }) => type)}::maple.device_type[],
      ${rows.map(({ state }) => state)}::maple.device_state[],
      ${rows.map(({ createdAt }) => createdAt)}::timestamptz[],
      ${rows.map(({ seen }) => seen)}::timestamptz[]
    ) as given (id, type, state, created_at, seen)
  `.execute(db)

const minute = 60_000
const day = 1440 * minute
const ago = (ms: number) => new Date(now - ms).toISOString()
const never = '0001-01-01T00:00:00Z'

/** Devices of every type and state, created and seen on many days. */
const manyRows = (count: number): Row[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `D-${at}`,
    type: deviceTypes[at % deviceTypes.length] ?? 'iot',
    state: deviceStates[(at * 7) % deviceStates.length] ?? 'online',
    createdAt: ago(((at * at) % 45) * day),
    seen: at % 9 === 0 ? never : ago(Math.floor(1.05 ** (at % 250)) * minute),
  }))

test('an empty service describes itself, and counts nothing', async () => {
  const { devices: none, ...rest } = await about()
  expect(rest).toEqual({
    name: 'maple',
    apiVersion: '3',
    countedAt: new Date(now).toISOString(),
    elements: { count: 0, attached: 0 },
    services: { count: 0, suspended: 0 },
    accounts: { count: 0, expiringSoon: 0, expired: 0 },
    jobs: { failed: 0 },
    hsm: null,
    broker: null,
  })
  expect([none.count, none.groups.length, none.seen.length]).toEqual([0, 24, 6])
  expect(none.registered.map(({ day }) => day)).toEqual(
    Array.from({ length: 30 }, (_, at) => ago((29 - at) * day).slice(0, 10)),
  )
})

test('every count of devices matches the list', async () => {
  await insert(manyRows(600))
  for (const isFolded of [false, true]) {
    if (isFolded) await fold()
    const { devices: all } = await about()
    expect(all.count).toBe(600)
    expect(all.groups.filter(({ count }) => count > 0).length).toBeGreaterThan(10)
    for (const { type, state, count } of all.groups)
      expect(await countOf({ type, state })).toEqual({ value: count, isCapped: false })
    for (const { seen, count } of all.seen) {
      expect(count, seen).toBeGreaterThan(0)
      expect(await countOf({ seen })).toEqual({ value: count, isCapped: false })
      expect(await idsOf({ seen, sort: 'lastSeenAt' })).toHaveLength(count)
    }
    expect(all.seen.reduce((sum, { count }) => sum + count, 0)).toBe(600)
    for (const { day: createdOn, count } of all.registered) {
      expect(await countOf({ createdOn })).toEqual({ value: count, isCapped: false })
      expect(await idsOf({ createdOn, sort: 'createdAt' })).toHaveLength(count)
    }
    expect(await countOf({})).toEqual({ value: 600, isCapped: false })
  }
})

test('a device counts by when it was last seen, to the minute, and hours after folding', async () => {
  const seenAt: [string, DeviceSeen][] = [
    [ago(-5 * minute), 'hour'],
    [ago(0), 'hour'],
    ['2026-11-22T12:37:00.000Z', 'hour'],
    ['2026-11-22T12:36:59.999Z', 'day'],
    ['2026-11-21T13:37:00.000Z', 'day'],
    ['2026-11-21T13:36:59.999Z', 'week'],
    ['2026-11-15T13:00:00.000Z', 'week'],
    ['2026-11-15T12:59:59.999Z', 'month'],
    ['2026-10-23T13:00:00.000Z', 'month'],
    ['2026-10-23T12:59:59.999Z', 'older'],
    ['2023-01-01T00:00:00.000Z', 'older'],
    [never, 'never'],
  ]
  await insert(
    seenAt.map(([seen], at) => {
      const id = `D-${at}`
      return { id, type: 'iot', state: 'online', seen, createdAt: ago(0) }
    }),
  )
  const expected = { hour: 3, day: 2, week: 2, month: 2, older: 2, never: 1 }
  const counts = async () =>
    Object.fromEntries((await about()).devices.seen.map(({ seen, count }) => [seen, count]))
  expect(await counts()).toEqual(expected)
  await fold()
  expect(await counts()).toEqual(expected)
  for (const seen of Object.keys(expected) as DeviceSeen[])
    expect((await idsOf({ seen, sort: 'lastSeenAt' })).toSorted()).toEqual(
      seenAt.flatMap(([, each], at) => (each === seen ? [`D-${at}`] : [])).toSorted(),
    )
  // Much later, hourly rows are merged into daily ones, and still count.
  clock = now + 100 * day
  await fold()
  expect(await counts()).toEqual({ hour: 0, day: 0, week: 0, month: 0, older: 11, never: 1 })
  const { rows } = await sql<{ key: string }>`
    select key from maple.tally where subject = 'device seen' order by key
  `.execute(server.platform.db)
  const days = '0001-01-01 2023-01-01 2026-10-23 2026-11-15 2026-11-21 2026-11-22'
  expect(rows.map(({ key }) => key).join(' ')).toBe(days)
})

test('a filter by a time works in every order, with other filters and with a search', async () => {
  const rows = manyRows(300)
  await insert(rows)
  const isToday = ({ createdAt }: Row) => createdAt.startsWith('2026-11-22')
  const expected = rows.filter(({ seen }) => seen === never)
  expect(expected.length).toBeGreaterThan(20)
  for (const sort of deviceSorting.by) {
    const found = await idsOf({ seen: 'never', sort, limit: 7 })
    expect(found.toSorted()).toEqual(expected.map(({ id }) => id).toSorted())
  }
  const iot = expected.filter(({ type }) => type === 'iot')
  const query = { seen: 'never', type: 'iot' } as const
  expect(await idsOf(query)).toHaveLength(iot.length)
  expect(await countOf(query)).toEqual({ value: iot.length, isCapped: false })
  expect(await countOf({ ...query, sort: 'lastSeenAt' })).toEqual({
    value: iot.length,
    isCapped: false,
  })
  const both = expected.filter(isToday)
  expect((await idsOf({ seen: 'never', createdOn: '2026-11-22' })).toSorted()).toEqual(
    both.map(({ id }) => id).toSorted(),
  )
  const searched = expected.filter(({ id }) => id.startsWith('D-1'))
  expect(await idsOf({ seen: 'never', q: 'd-1' })).toHaveLength(searched.length)
  expect(await countOf({ seen: 'never', q: 'd-1' })).toEqual({
    value: searched.length,
    isCapped: false,
  })
  await expect(idsOf({ createdOn: '2026-02-30' })).rejects.toMatchObject({
    code: 'invalid_request',
  })
})

test('counts are exact after many writers at once, and while they are folded @long', async () => {
  const db = server.platform.db
  await insert(manyRows(500))
  const random = (below: number) => Math.floor(Math.random() * below)
  const writer = async (name: number) => {
    for (let round = 0; round < 12; round += 1) {
      const row = { ...manyRows(1)[0]!, id: `W-${name}-${round}`, seen: ago(random(90) * day) }
      await insert([row])
      await sql`
        update maple.device
        set state = ${deviceStates[random(6)]}, last_seen_at = ${ago(random(50) * minute)}
        where id in (select id from maple.device order by id limit 20 offset ${random(400)} for update skip locked)
      `.execute(db)
      await sql`delete from maple.device where id = ${`D-${name * 20 + round}`}`.execute(db)
      // A rollback leaves the counts unchanged.
      await db
        .transaction()
        .execute(async (tx) => {
          await insert([{ ...row, id: `X-${name}-${round}` }], tx)
          throw new Error('rolled back')
        })
        .catch(() => {})
    }
  }
  const folding = async () => {
    for (let round = 0; round < 10; round += 1) await fold()
  }
  await Promise.all([...Array.from({ length: 8 }, (_, name) => writer(name)), folding()])
  const compare = async () => {
    const { rows } = await sql<{ type: string; state: string; count: number }>`
      select type, state, count(*) as count from maple.device group by 1, 2 order by 1, 2
    `.execute(db)
    const { devices: all } = await about()
    expect(all.count).toBe(500)
    expect(all.groups.filter(({ count }) => count > 0)).toEqual(rows)
    expect(all.seen.reduce((sum, { count }) => sum + count, 0)).toBe(500)
  }
  await compare()
  await fold()
  await compare()
  const { rows } = await sql`
    select from maple.tally group by subject, key having count(*) > 1
  `.execute(db)
  expect(rows).toEqual([])
})

test('elements and accounts are counted, and those that need attention', async () => {
  clock = Date.now()
  const headers = await server.bearer(['ADMIN'])
  const devices = resourceClient<{ id: string }>(server, '/api/maple/device', headers)
  const accounts = resourceClient<{ id: string }>(server, '/api/maple/account', headers)
  const services = resourceClient<{ id: string }>(server, '/api/maple/service', headers)
  for (const id of ['north', 'south']) await services.create({ id, name: id })
  await services.send('PUT', { id: 'south' }, { state: 'suspended' })
  const cplc = (at: number) => `9F${String(at).padStart(82, '0')}`
  const device = await devices.create({ name: 'One', type: 'iot', cplc: [cplc(1), cplc(2)] })
  await devices.send('DELETE', { id: device.id, cplc: cplc(1) })
  for (const days of [-1, 3, 29, 31]) {
    const expiresAt = new Date(clock + days * day).toISOString()
    await accounts.create({ id: randomUUID(), expiresAt })
  }
  await accounts.create({ id: randomUUID() })
  await sql`
    insert into maple.job (name, state, max_attempts, due_at, created_at, queued_at)
    select 'tally.fold', state, 1, now(), now(), now()
    from unnest('{failed,failed,completed}'::text[]) as state
  `.execute(server.platform.db)
  const response = await server.app.inject({ url: '/api/maple/about', headers })
  expect(response.json()).toMatchObject({
    devices: { count: 1, seen: [{}, {}, {}, {}, {}, { seen: 'never', count: 1 }] },
    elements: { count: 2, attached: 1 },
    services: { count: 2, suspended: 1 },
    accounts: { count: 5, expiringSoon: 2, expired: 1 },
    jobs: { failed: 2 },
  })
})

test('only administrators see the broker, and without a gateway nothing is connected to it', async () => {
  const withBroker = {
    ...context,
    settings: { ...context.settings, brokerUrl: 'mqtt://grove:password@127.0.0.1:1' },
  }
  expect((await aboutMaple(withBroker, actor)).broker).toEqual({
    isConnected: false,
    problem: 'no_gateway',
  })
  const gatewayId = randomUUID()
  expect(await holdBroker(context.db, gatewayId, { isConnected: true, problem: null })).toBe(true)
  expect((await aboutMaple(withBroker, actor)).broker).toEqual({ isConnected: true, problem: null })
  expect((await about()).broker).toBeNull()

  const origin = { requestId: '', ip: '', userAgent: '' }
  const mandate = { rights: ['overview.read'], scope: { serviceId: 'north' } }
  const ofProvider = { id: randomUUID(), roles: [], sessionId: undefined, origin, mandate }
  expect((await aboutMaple(withBroker, ofProvider)).broker).toBeNull()
})
