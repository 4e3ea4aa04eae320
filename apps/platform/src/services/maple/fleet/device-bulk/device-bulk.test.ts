import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, inject, test, vi } from 'vitest'
import type { Device } from '@grove/contract/maple/fleet/device'
import type { DeviceBulk } from '@grove/contract/maple/fleet/device-bulk'
import { processActor } from '../../../../core/actor.ts'
import { resourceClient } from '../../../../core/testing/resource-client.ts'
import { runScript } from '../../../../core/testing/run-script.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { everything } from '../../../../core/scope.ts'
import { importDevices } from '../device/device-import.service.ts'
import { maple } from '../../index.ts'
import { bulkBatch, bulkJob, tidyBulks } from './device-bulk-job.ts'
import { findBulk } from './device-bulk.queries.ts'

const isPostgres = process.env['GROVE_TEST_ENGINE'] === 'postgres'
const patience = { timeout: 30_000, interval: 20 }
const url = '/api/maple/device/bulk'

let server: TestServer
let headers: { authorization: string }
let devices: ReturnType<typeof resourceClient<Device>>
let bulks: ReturnType<typeof resourceClient<DeviceBulk>>
beforeAll(async () => {
  server = await startTestServer([maple])
  headers = await server.bearer(['ADMIN'])
  devices = resourceClient(server, '/api/maple/device', headers)
  bulks = resourceClient(server, url, headers)
})
beforeEach(async () => {
  await sql`truncate maple.device, maple.device_term, maple.service cascade`.execute(
    server.platform.db,
  )
})
afterAll(() => server.close())

const idOf = (at: number) => `d-${String(at).padStart(5, '0')}`
async function add(count: number, state: Device['state'] = 'pending') {
  const list = Array.from({ length: count }, (_, at) => ({
    id: idOf(at),
    name: `Gate ${at}`,
    type: 'iot' as const,
    state,
    createdAt: '2026-01-01T00:00:00Z',
    lastSeenAt: null,
    cplc: [],
    tags: at % 2 ? ['odd'] : [],
  }))
  await importDevices(await maple.open(server.platform), processActor('test'), list)
}

const readBulk = async (id: string) =>
  (await server.app.inject({ url: `${url}/${id}`, headers })).json<DeviceBulk>()
const csvOf = async (id: string) =>
  (await server.app.inject({ url: `${url}/${id}/csv`, headers })).body.trimEnd().split('\r\n')
const countOf = async (query: Record<string, string>) =>
  (await server.app.inject({ url: `${url}/count`, query, headers })).json<{ count: number }>().count
const read = async (id: string) =>
  (await devices.send('GET', { id })).json<{ items: Device[] }>().items[0]

/** Requests a bulk change and waits for its end. */
async function change(filter: object, what: object) {
  const { id } = await bulks.create({ filter, ...what })
  return vi.waitFor(async () => {
    const bulk = await readBulk(id)
    expect(bulk.state).toBe('completed')
    return bulk
  }, patience)
}

test('every device of a filter is changed, each with an event and a result', async () => {
  await add(bulkBatch + 20)
  expect(await countOf({ tag: 'odd' })).toBe(bulkBatch / 2 + 10)
  const bulk = await change({ tag: 'odd' }, { action: 'accept' })
  expect(bulk).toMatchObject({ total: 260, changed: 260, unchanged: 0, refused: 0 })
  expect(await countOf({ state: 'accepted' })).toBe(260)
  expect(await read(idOf(1))).toMatchObject({ state: 'accepted', revision: 2, tags: ['odd'] })
  expect(await read(idOf(2))).toMatchObject({ state: 'pending', revision: 1 })
  expect(await devices.eventsOf(idOf(1))).toMatchObject([
    { action: 'device.update', before: { state: 'pending' }, after: { state: 'accepted' } },
  ])
  const lines = await csvOf(bulk.id)
  expect(lines.slice(0, 2)).toEqual(['id,result,reason', `${idOf(1)},changed,`])
  expect(lines).toHaveLength(261)
})

test('tags, attributes and service providers are set and removed, and found afterwards', async () => {
  await add(6)
  await resourceClient(server, '/api/maple/service', headers).create({ id: 'acme', name: 'Acme' })
  const floor = { type: 'number', value: 3 }
  await change({ q: 'gate' }, { action: 'addTag', tag: ' North ' })
  await change({ tag: 'north' }, { action: 'setAttribute', key: 'floor', attribute: floor })
  await change({ attribute: 'floor=3' }, { action: 'setService', serviceId: 'acme' })
  expect(await read(idOf(1))).toMatchObject({
    tags: ['north', 'odd'],
    attributes: { floor },
    serviceId: 'acme',
    revision: 4,
  })
  const again = await change({ serviceId: 'acme' }, { action: 'addTag', tag: 'north' })
  expect(again).toMatchObject({ total: 6, changed: 0, unchanged: 6 })
  await change({ tag: 'odd' }, { action: 'removeTag', tag: 'odd' })
  await change({ serviceId: 'acme' }, { action: 'setAttribute', key: 'floor', attribute: null })
  await change({ attribute: 'floor=3' }, { action: 'retire' })
  await change({}, { action: 'setService', serviceId: null })
  expect(await read(idOf(1))).toMatchObject({ tags: ['north'], attributes: {}, serviceId: null })
  expect(await countOf({ state: 'retired' })).toBe(0)
})

test('refusals by the rules are results, and stop nothing else', async () => {
  await add(4)
  await devices.send('DELETE', { id: idOf(0) })
  const bulk = await change({}, { action: 'quarantine' })
  expect(bulk).toMatchObject({ total: 4, changed: 3, refused: 1 })
  expect(await csvOf(bulk.id)).toContain(`${idOf(0)},refused,transition_refused`)
  const retired = await change({}, { action: 'retire' })
  expect(retired).toMatchObject({ changed: 3, unchanged: 1 })
  expect((await devices.eventsOf(idOf(1))).at(-1)).toMatchObject({ action: 'device.retire' })
})

test.each([
  [{ filter: {}, action: 'addTag' }, [400, 'invalid_request', 'tag']],
  [{ filter: {}, action: 'addTag', tag: 'a,b' }, [400, 'invalid_request', 'tag']],
  [{ filter: {}, action: 'setService' }, [400, 'invalid_request', 'serviceId']],
  [
    { filter: {}, action: 'setService', serviceId: 'nobody' },
    [400, 'invalid_request', 'serviceId'],
  ],
  [{ filter: {}, action: 'setAttribute', key: 'floor' }, [400, 'invalid_request', 'attribute']],
  [{ filter: { attribute: 'x' }, action: 'retire' }, [400, 'invalid_request', 'attribute']],
  [
    { filter: { createdOn: '2026-02-30' }, action: 'retire' },
    [400, 'invalid_request', 'createdOn'],
  ],
  [{ filter: { sort: 'name' }, action: 'retire' }, [400, 'invalid_request', 'filter.sort']],
])('%o is refused before there is a job', async (body, refusal) => {
  expect(await bulks.refusal('POST', {}, body)).toEqual(refusal)
})

/** A change that no runner has started. */
async function waiting(filter: object, what: object) {
  const { db } = await maple.open(server.platform)
  const { rows } = await sql<{ id: string }>`
    insert into maple.device_bulk (filter, change)
    values (${JSON.stringify(filter)}, ${JSON.stringify(what)}) returning id`.execute(db)
  return { db, id: rows[0]?.id ?? '' }
}

const run = async (id: string, onProgress: (done: number, stop: () => void) => unknown) => {
  const { db } = await maple.open(server.platform)
  const stop = new AbortController()
  await bulkJob.run(
    { db, now: Date.now },
    { id },
    {
      id,
      attempt: 1,
      createdAt: new Date().toISOString(),
      signal: stop.signal,
      progress: (done) => onProgress(done, () => stop.abort()),
    },
  )
}

/** Each device was changed once, whatever happened on the way. */
async function expectWhole(id: string, total: number) {
  const { db } = await maple.open(server.platform)
  expect(await findBulk(db, id, everything)).toMatchObject({
    total,
    changed: total,
    unchanged: 0,
    refused: 0,
  })
  const { rows } = await sql<{ events: number; devices: number }>`
    select count(*) as events, count(distinct subject) as devices from maple.event
    where request_id = ${id}`.execute(db)
  expect(rows).toEqual([{ events: total, devices: total }])
  expect(await countOf({ tag: 'north' })).toBe(total)
}

test('a cancelled run keeps what it did, and continues from there', async () => {
  await add(3 * bulkBatch)
  const { id } = await waiting({}, { action: 'addTag', tag: 'north' })
  const isStopped = run(id, (done, stop) => done === bulkBatch && stop())
  await expect(isStopped).rejects.toMatchObject({ name: 'AbortError' })
  expect(await countOf({ tag: 'north' })).toBe(bulkBatch)
  // What no longer meets the filter, or is new, was decided at the start.
  await run(id, () => {})
  await expectWhole(id, 3 * bulkBatch)
})

test('a change made by someone else meanwhile is kept', async () => {
  await add(2 * bulkBatch)
  const { id } = await waiting({ state: 'pending' }, { action: 'addTag', tag: 'north' })
  const last = idOf(2 * bulkBatch - 1)
  const others: Promise<unknown>[] = []
  await run(id, (done) => {
    if (done !== 0) return
    others.push(devices.send('PUT', { id: last }, { name: 'Renamed', state: 'accepted' }))
  })
  await Promise.all(others)
  expect(await read(last)).toMatchObject({
    name: 'Renamed',
    state: 'accepted',
    tags: ['north', 'odd'],
    revision: 3,
  })
})

test.runIf(isPostgres)(
  'kill -9 between two batches changes no device twice and leaves none out',
  async () => {
    await add(10 * bulkBatch)
    const { db, id } = await waiting({}, { action: 'addTag', tag: 'north' })
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
    const database = new URL(inject('postgresUrl'))
    database.pathname = `/${rows[0]?.name}`
    const script = new URL('./testing/run-bulk.ts', import.meta.url)
    const first = runScript(script, database.href, id, new Date().toISOString())
    await vi.waitFor(() => expect(first.lines.length).toBeGreaterThan(2), patience)
    first.child.kill('SIGKILL')
    await first.exited
    const { changed = 0 } = (await findBulk(db, id, everything)) ?? {}
    expect([changed > 0, changed < 10 * bulkBatch]).toEqual([true, true])
    await run(id, () => {})
    await expectWhole(id, 10 * bulkBatch)
  },
  60_000,
)

test('results are deleted after their retention, and the totals stay @long', async () => {
  await add(3)
  const old = await change({}, { action: 'accept' })
  const recent = await change({}, { action: 'quarantine' })
  await sql`
    update maple.device_bulk set created_at = now() - interval '31 days' where id = ${old.id}
  `.execute(server.platform.db)
  const context = await maple.open(server.platform)
  await tidyBulks(context, new AbortController().signal)
  expect(await readBulk(old.id)).toMatchObject({ total: 3, changed: 3, hasResults: false })
  const gone = await server.app.inject({ url: `${url}/${old.id}/csv`, headers })
  expect([gone.statusCode, gone.json<{ code: string }>().code]).toEqual([404, 'not_found'])
  expect(await readBulk(recent.id)).toMatchObject({ hasResults: true })
  expect(await csvOf(recent.id)).toHaveLength(4)
  const { rows } = await sql`
    select from maple.device_bulk_item where bulk_id = ${old.id}`.execute(server.platform.db)
  expect(rows).toEqual([])
})
