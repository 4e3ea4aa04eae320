import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { maxDeviceDays } from '@grove/contract/maple/fleet/device-day.rules'
import type { DeviceDays } from '@grove/contract/maple/fleet/device-day'
import { deviceStates, type DeviceState } from '@grove/contract/maple/fleet/device.rules'
import { processActor, type AnyActor } from '../../../../core/actor.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import type { MapleTables } from '../../base/tables.ts'
import { maple } from '../../index.ts'
import { countDay, readDeviceDays } from './device-day.service.ts'

const dayMs = 86_400_000
let server: TestServer
let now = Date.parse('2026-11-20T23:30:00Z')
beforeAll(async () => {
  server = await startTestServer([maple])
})
afterAll(() => server.close())

const db = () => server.platform.db.withTables<MapleTables>()
const context = () => ({ db: db(), now: () => now })
const count = () => countDay(context())

const register = (serviceId: string | null, ...states: string[]) =>
  sql`
    insert into maple.device (id, name, name_key, type, state, service_id)
    select gen_random_uuid()::text, 'x', 'x', 'iot', state::maple.device_state, ${serviceId}
    from unnest(${states}::text[]) as state`.execute(db())

const everyone = processActor('test')
const north = {
  id: 'north',
  roles: [],
  sessionId: undefined,
  origin: { requestId: '', ip: '', userAgent: '' },
  mandate: { rights: ['device.read'], scope: { serviceId: 'north' } },
}

async function read(actor: AnyActor = everyone, days = 90) {
  const { days: all, states } = await readDeviceDays(context(), actor, { days })
  return {
    days: all,
    of: (name: DeviceState) => states.find(({ state }) => state === name)?.counts,
  }
}

test('each day since the first count shows its last count', async () => {
  await sql`insert into maple.service (id, name, name_key)
    values ('north', 'North', 'north'), ('south', 'South', 'south')`.execute(db())
  expect((await read()).days).toEqual(['2026-11-20'])
  await register('north', 'online', 'online', 'offline')
  await register('south', 'online')
  await count()
  // The last count of a day replaces the earlier ones, even for a state that no device has any more.
  await sql`update maple.device set state = 'retired' where state = 'offline'`.execute(db())
  await count()

  // The next day is not counted; now it is the day after that.
  now += 2 * dayMs
  await register(null, 'quarantined')
  const all = await read()
  expect(all.days).toEqual(['2026-11-20', '2026-11-21', '2026-11-22'])
  expect(all.of('online')).toEqual([3, null, 3])
  expect(all.of('offline')).toEqual([0, null, 0])
  expect(all.of('retired')).toEqual([1, null, 1])
  expect(all.of('quarantined')).toEqual([0, null, 1])
  await count()
  await register(null, 'quarantined')
  expect((await read()).of('quarantined')).toEqual([0, null, 2])
  expect((await read(everyone, 1)).days).toEqual(['2026-11-22'])

  const own = await read(north)
  expect(own.days).toEqual(all.days)
  expect(own.of('online')).toEqual([2, null, 2])
  expect(own.of('quarantined')).toEqual([0, null, 0])
})

test('counts of a deleted provider, and of days that nobody can read, are deleted', async () => {
  await sql`delete from maple.device where service_id = 'south'`.execute(db())
  await sql`delete from maple.service where id = 'south'`.execute(db())
  await count()
  const { rows } = await sql<{ id: string | null }>`
    select distinct service_id as id from maple.device_day order by 1`.execute(db())
  expect(rows).toEqual([{ id: 'north' }, { id: null }])
  now += (maxDeviceDays - 1) * dayMs
  await count()
  const kept = await sql<{ day: string }>`
    select distinct day::text from maple.device_day order by 1`.execute(db())
  expect(kept.rows.map(({ day }) => day)).toEqual(['2026-11-22', '2027-12-26'])
  expect((await read(everyone, maxDeviceDays)).days).toHaveLength(maxDeviceDays)
})

test('a call returns the days until now', async () => {
  const headers = await server.bearer(['ADMIN'])
  const response = await server.app.inject({ url: '/api/maple/device/state?days=2', headers })
  expect(response.statusCode, response.body).toBe(200)
  const { days, states } = response.json<DeviceDays>()
  expect(days.at(-1)).toBe(new Date(server.platform.now()).toISOString().slice(0, 10))
  expect(states.map(({ state }) => state)).toEqual(deviceStates)
})
