import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { gatewayWorld, type GatewayWorld } from '../gateway/testing/gateway-world.ts'

let world: GatewayWorld
beforeAll(async () => {
  world = await gatewayWorld()
})
afterEach(() => world.disconnectAll())
afterAll(() => world.close())

const twin = async (id: string) => (await world.ask('GET', `device/twin?deviceId=${id}`)).body
const change = (id: string, desired: object, version?: number) =>
  world.ask('PUT', `device/twin?deviceId=${id}`, {
    desired,
    ...(version !== undefined && { version }),
  })
const report = (seq: number, d: object, more: object = {}) =>
  JSON.stringify({ t: 'reported', boot: 'boot-1', seq, d, ...more })

test('the desired state reaches the device, and its answer comes back key by key', async () => {
  const { id, secret } = await world.device()
  const link = await world.welcomed(secret)
  expect(await twin(id)).toMatchObject({ desiredVersion: 0, desired: {}, reported: {} })
  expect(await change(id, { interval: 5, color: 'red' })).toMatchObject({
    status: 200,
    body: { desiredVersion: 1, difference: [{ path: ['interval'] }, { path: ['color'] }] },
  })
  expect(await link.until('desired')).toMatchObject({
    version: 1,
    d: { interval: 5, color: 'red' },
  })
  link.say(report(1, { interval: 5 }, { version: 1, refused: { color: 'It has no lamp.' } }))
  await link.until('ack')
  expect(await twin(id)).toMatchObject({
    answeredVersion: 1,
    refused: { color: 'It has no lamp.' },
    reported: { interval: 5 },
    reportedVersion: 1,
    difference: [{ path: ['color'], desired: 'red' }],
  })
})

test('a device gets the whole desired state when it connects, and once for each version', async () => {
  const { id, secret } = await world.device()
  await change(id, { a: 1, b: { c: 2, d: 3 } })
  await change(id, { a: null, b: { c: 4 } })
  const link = await world.welcomed(secret)
  expect(await link.until('desired')).toEqual({
    t: 'desired',
    version: 2,
    d: { b: { c: 4, d: 3 } },
  })
  // Values already desired create no version.
  expect((await change(id, { b: { c: 4 }, gone: null })).body.desiredVersion).toBe(2)
  await change(id, { e: [1, 2] })
  expect(await link.until('desired', ({ version }) => version === 3)).toMatchObject({
    d: { b: { c: 4, d: 3 }, e: [1, 2] },
  })
  expect(link.heard.filter(({ t }) => t === 'desired')).toHaveLength(2)
})

test('a change of an older version is refused and says what changed', async () => {
  const { id } = await world.device()
  await change(id, { a: 1, b: 1, c: 1 })
  await change(id, { a: 2 }, 1)
  await change(id, { b: null })
  const refused = await change(id, { c: 5 }, 1)
  expect(refused).toMatchObject({ status: 409, body: { code: 'edit_conflict' } })
  expect(refused.body.errors).toEqual([
    { path: 'desired.a', code: 'changed', message: expect.any(String), params: { version: 2 } },
    { path: 'desired.b', code: 'changed', message: expect.any(String), params: { version: 3 } },
  ])
  expect((await twin(id)).desired).toEqual({ a: 2, c: 1 })
  expect((await change(id, { c: 5 }, 3)).status).toBe(200)
})

test('of two changes of one version at once, one is refused', async () => {
  const { id } = await world.device()
  const both = await Promise.all([change(id, { a: 1 }, 0), change(id, { b: 1 }, 0)])
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
})

test('states have limits, and a report beyond them is acknowledged and reported', async () => {
  const { id, secret } = await world.device()
  expect((await change(id, { a: 'x'.repeat(8192) })).status).toBe(400)
  let deep: object = {}
  for (let n = 0; n < 9; n++) deep = { deep }
  expect((await change(id, deep)).status).toBe(400)
  const link = await world.welcomed(secret)
  link.say(report(1, { a: 'x'.repeat(20_000) }))
  link.say(report(2, { b: 'x'.repeat(20_000) }))
  await link.until('ack', ({ seq }) => seq === 2)
  const { reported, reportedProblem } = await twin(id)
  expect([Object.keys(reported), reportedProblem]).toEqual([['a'], 'too_long'])
  link.say(report(3, { a: null, c: 1 }))
  await link.until('ack', ({ seq }) => seq === 3)
  expect(await twin(id)).toMatchObject({ reported: { c: 1 }, reportedProblem: null })
})

test('keys that every object has, and odd text, are keys like others', async () => {
  const { id, secret } = await world.device()
  const link = await world.welcomed(secret)
  link.say(
    String.raw`{"t":"reported","boot":"boot-1","seq":1,"d":{"__proto__":{"x":1},"a\u0000":"\ud800"}}`,
  )
  await link.until('ack')
  const { reported } = await twin(id)
  expect(Object.keys(reported)).toEqual(['__proto__', 'a\u0000'])
  expect(({} as { x?: number }).x).toBeUndefined()
})

test('an answer to an older version, or to one that was never made, changes no answer', async () => {
  const { id, secret } = await world.device()
  await change(id, { a: 1 })
  await change(id, { a: 2 })
  const link = await world.welcomed(secret)
  link.say(report(1, { a: 2 }, { version: 2 }))
  link.say(report(2, {}, { version: 1, refused: { a: 'late' } }))
  link.say(report(3, {}, { version: 9, refused: { a: 'made up' } }))
  await link.until('ack', ({ seq }) => seq === 3)
  expect(await twin(id)).toMatchObject({ answeredVersion: 2, refused: {}, difference: [] })
})

test('a state whose notice was lost is found, and a change is in the audit trail', async () => {
  const { id, secret } = await world.device()
  const link = await world.welcomed(secret)
  await change(id, { a: 1 })
  await link.until('desired')
  await sql`update maple.device_twin set desired_version = 2, desired = '{"a":2}' where device_id = ${id}`.execute(
    world.db,
  )
  await world.gateway().lookAgain()
  expect(await link.until('desired', ({ version }) => version === 2)).toMatchObject({ d: { a: 2 } })
  const { rows } = await sql<{ action: string; after: unknown }>`
    select action, after from maple.event where subject = ${id} order by id desc limit 1`.execute(
    world.db,
  )
  expect(rows[0]).toMatchObject({ action: 'twin.update', after: { desired: { a: 1 } } })
})
