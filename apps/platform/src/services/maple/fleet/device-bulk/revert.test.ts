import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, inject, test, vi } from 'vitest'
import type { Event } from '@grove/contract/core/event'
import type { Device } from '@grove/contract/maple/fleet/device'
import type { DeviceBulk, RevertPreview } from '@grove/contract/maple/fleet/device-bulk'
import { processActor } from '../../../../core/actor.ts'
import { everything } from '../../../../core/scope.ts'
import { resourceClient } from '../../../../core/testing/resource-client.ts'
import { runScript } from '../../../../core/testing/run-script.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
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
  server = await startTestServer([maple], { jobs: { pollMs: 50, hasRecurring: false } })
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
async function add(count: number) {
  const list = Array.from({ length: count }, (_, at) => ({
    id: idOf(at),
    name: `Gate ${at}`,
    type: 'iot' as const,
    state: at % 2 ? ('quarantined' as const) : ('pending' as const),
    createdAt: '2026-01-01T00:00:00Z',
    lastSeenAt: null,
    cplc: [],
    tags: at % 2 ? ['odd'] : [],
  }))
  await importDevices(await maple.open(server.platform), processActor('test'), list)
}

const post = (path: string, payload: object = {}) =>
  server.app.inject({ method: 'POST', url: `${url}/${path}`, payload, headers })
const read = async (at: number) =>
  (await devices.send('GET', { id: idOf(at) })).json<{ items: Device[] }>().items[0]
const countOf = async (query: Record<string, string>) =>
  (await server.app.inject({ url: `${url}/count`, query, headers })).json<{ count: number }>().count
const readBulk = async (id: string) =>
  (await server.app.inject({ url: `${url}/${id}`, headers })).json<DeviceBulk>()
const previewOf = async (id: string) =>
  (await server.app.inject({ url: `${url}/${id}/revert`, headers })).json<RevertPreview>()
const csvOf = async (id: string) =>
  (await server.app.inject({ url: `${url}/${id}/csv`, headers })).body

const ended = (id: string) =>
  vi.waitFor(async () => {
    const bulk = await readBulk(id)
    expect(bulk.state).toBe('completed')
    return bulk
  }, patience)

const change = async (filter: object, what: object) =>
  ended((await bulks.create({ filter, ...what })).id)

async function revert(id: string, overwrites = false) {
  const response = await post(`${id}/revert`, { overwrites })
  expect([response.statusCode, response.body]).toEqual([201, response.body])
  return ended(response.json<DeviceBulk>().id)
}
async function refusalOf(path: string, payload: object = {}) {
  const response = await post(path, payload)
  return [response.statusCode, response.json<{ code: string }>().code]
}

test('a revert gives each device the state from before the change @long', async () => {
  await add(bulkBatch + 20)
  const bulk = await change({}, { action: 'accept' })
  expect(bulk).toMatchObject({ revertedBy: null, rights: { revert: null } })
  expect(await previewOf(bulk.id)).toEqual({
    changed: bulkBatch + 20,
    unchanged: 0,
    since: 0,
    gone: 0,
    items: [],
  })
  const back = await revert(bulk.id)
  expect(back).toMatchObject({
    change: { action: 'revert' },
    revertsBulkId: bulk.id,
    changed: bulkBatch + 20,
    refused: 0,
  })
  expect(await countOf({ state: 'pending' })).toBe(bulkBatch / 2 + 10)
  expect(await countOf({ state: 'quarantined' })).toBe(bulkBatch / 2 + 10)
  expect(await readBulk(bulk.id)).toMatchObject({
    revertedBy: { id: back.id, state: 'completed', refused: 0, isReverted: false },
    rights: { revert: 'bulk_reverted' },
  })
})

test('devices that others have changed since are shown, and skipped or overwritten', async () => {
  await add(4)
  const bulk = await change({}, { action: 'accept' })
  await devices.send('PUT', { id: idOf(0) }, { state: 'quarantined' })
  // Neither of these two affects what the change set.
  await devices.send('PUT', { id: idOf(1) }, { name: 'Renamed' })
  await change({ id: idOf(3) }, { action: 'addTag', tag: 'north' })
  expect(await previewOf(bulk.id)).toEqual({
    changed: 3,
    unchanged: 0,
    since: 1,
    gone: 0,
    items: [
      {
        id: idOf(0),
        name: 'Gate 0',
        changes: [{ field: 'state', left: 'accepted', now: 'quarantined' }],
      },
    ],
  })
  const back = await revert(bulk.id)
  expect(back).toMatchObject({ total: 4, changed: 3, refused: 1 })
  expect(await csvOf(back.id)).toContain(`${idOf(0)},refused,changed_since`)
  expect(await read(0)).toMatchObject({ state: 'quarantined' })
  expect(await read(1)).toMatchObject({ name: 'Renamed', state: 'quarantined', tags: ['odd'] })
  expect(await read(3)).toMatchObject({ state: 'quarantined', tags: ['north', 'odd'] })
  // One was skipped, so it can be reverted once more.
  expect(await previewOf(bulk.id)).toMatchObject({ changed: 0, unchanged: 3, since: 1 })
  expect(await revert(bulk.id, true)).toMatchObject({ changed: 1, unchanged: 3, refused: 0 })
  expect(await read(0)).toMatchObject({ state: 'pending' })
  expect(await refusalOf(`${bulk.id}/revert`, { overwrites: true })).toEqual([409, 'bulk_reverted'])
})

test('a revert is a change that can be reverted, after which the original can be again', async () => {
  await add(6)
  await resourceClient(server, '/api/maple/service', headers).create({ id: 'acme', name: 'Acme' })
  const moved = await change({ tag: 'odd' }, { action: 'setService', serviceId: 'acme' })
  const back = await revert(moved.id)
  expect(await countOf({ serviceId: 'acme' })).toBe(0)
  const again = await revert(back.id)
  expect(again).toMatchObject({ revertsBulkId: back.id, changed: 3 })
  expect(await countOf({ serviceId: 'acme' })).toBe(3)
  expect(await readBulk(moved.id)).toMatchObject({ rights: { revert: null } })
  expect(await revert(moved.id)).toMatchObject({ changed: 3 })
  expect(await countOf({ serviceId: 'acme' })).toBe(0)
})

test('a device gets back the product that it lost with its service provider', async () => {
  await add(1)
  const services = resourceClient(server, '/api/maple/service', headers)
  await services.create({ id: 'acme', name: 'Acme' })
  await services.create({ id: 'other', name: 'Other' })
  const { db } = server.platform
  const { rows } = await sql<{ id: string }>`
    insert into maple.product (service_id, name, name_key)
    values ('acme', 'Gate', 'gate') returning id`.execute(db)
  const productId = rows[0]?.id
  await devices.send('PUT', { id: idOf(0) }, { serviceId: 'acme', productId })
  const moved = await change({}, { action: 'setService', serviceId: 'other' })
  expect(await read(0)).toMatchObject({ serviceId: 'other', productId: null })
  await revert(moved.id)
  expect(await read(0)).toMatchObject({ serviceId: 'acme', productId })
})

test('tags and attributes are restored individually', async () => {
  await add(2)
  const floor = { type: 'number', value: 3 }
  const set = await change({}, { action: 'setAttribute', key: 'floor', attribute: floor })
  const cut = await change({}, { action: 'removeTag', tag: 'odd' })
  await devices.send('PUT', { id: idOf(1) }, { tags: ['red'] })
  await revert(cut.id)
  await revert(set.id)
  expect(await read(1)).toMatchObject({ tags: ['odd', 'red'], attributes: {} })
  expect(await countOf({ tag: 'odd' })).toBe(1)
})

test('two concurrent requests make one revert', async () => {
  await add(50)
  const bulk = await change({}, { action: 'accept' })
  const answers = await Promise.all(
    [1, 2, 3].map(() => post(`${bulk.id}/revert`, { overwrites: false })),
  )
  expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
    201, 409, 409,
  ])
  const made = answers.find(({ statusCode }) => statusCode === 201)
  await ended(made?.json<DeviceBulk>().id ?? '')
  expect((await bulks.list()).items.filter((each) => each.revertsBulkId === bulk.id)).toHaveLength(
    1,
  )
})

test('a device that was deleted or moved meanwhile stays out of a revert', async () => {
  await add(4)
  const { db } = server.platform
  await resourceClient(server, '/api/maple/service', headers).create({ id: 'acme', name: 'Acme' })
  await resourceClient(server, '/api/maple/service', headers).create({ id: 'other', name: 'Other' })
  await change({}, { action: 'setService', serviceId: 'acme' })
  // As if a developer of Acme had created it.
  const { id } = await bulks.create({ filter: {}, action: 'accept' })
  await sql`update maple.device_bulk set service_id = 'acme' where id = ${id}`.execute(db)
  await ended(id)
  await sql`delete from maple.device where id = ${idOf(0)}`.execute(db)
  await devices.send('PUT', { id: idOf(1) }, { serviceId: 'other' })
  expect(await previewOf(id)).toMatchObject({ changed: 2, gone: 2, items: [] })
  const back = await revert(id)
  expect(back).toMatchObject({ total: 4, changed: 2, refused: 2 })
  expect(await csvOf(back.id)).toContain(`${idOf(1)},refused,not_found`)
  expect(await read(1)).toMatchObject({ state: 'accepted' })
})

test('a change is one entry of the audit trail, with its devices under it', async () => {
  await add(30)
  const bulk = await change({ tag: 'odd' }, { action: 'accept' })
  const back = await revert(bulk.id)
  const eventsOf = async (query: Record<string, string>) =>
    (await server.app.inject({ url: '/api/maple/event', query, headers })).json<{
      items: Event[]
    }>().items
  const newest = await eventsOf({ limit: '3' })
  expect(newest.slice(0, 2)).toMatchObject([
    {
      action: 'device_bulk.revert',
      subject: back.id,
      partOf: null,
      after: { reverts: { bulk: bulk.id, change: { action: 'accept' } } },
    },
    {
      action: 'device_bulk.create',
      subject: bulk.id,
      after: { filter: { tag: 'odd' }, change: { action: 'accept' } },
    },
  ])
  const updates = await eventsOf({ action: 'device.update', limit: '100' })
  expect(updates.filter(({ partOf }) => partOf !== null)).toEqual([])
  const parts = await eventsOf({ partOf: bulk.id, limit: '100' })
  expect(parts).toHaveLength(15)
  expect(parts[0]).toMatchObject({ action: 'device.update', partOf: bulk.id })
  // A device's history shows both.
  expect((await eventsOf({ subject: idOf(1) })).slice(0, 2)).toMatchObject([
    { partOf: back.id, after: { state: 'quarantined' } },
    { partOf: bulk.id, before: { state: 'quarantined' }, after: { state: 'accepted' } },
  ])
})

test('changes that are final, empty or missing cannot be reverted, and say so', async () => {
  await add(2)
  const none = await change({ tag: 'nothing' }, { action: 'accept' })
  expect(none.rights.revert).toBe('bulk_complete')
  const retired = await change({}, { action: 'retire' })
  expect(retired.rights.revert).toBe('bulk_final')
  expect(await refusalOf(`${retired.id}/revert`, { overwrites: true })).toEqual([409, 'bulk_final'])
  const nowhere = '00000000-0000-4000-8000-000000000000'
  expect(await refusalOf(`${nowhere}/revert`, { overwrites: false })).toEqual([404, 'not_found'])
})

/** A change that stopped halfway, with its job in this state. */
async function halfWay(state: 'cancelled' | 'failed') {
  const { db } = await maple.open(server.platform)
  const { rows } = await sql<{ id: string }>`
    with job as (
      insert into maple.job (name, state, max_attempts, due_at, created_at, queued_at)
      values ('device.bulk', ${state}, 1, now(), now(), now()) returning id
    )
    insert into maple.device_bulk (filter, change, job_id)
    select '{}', '{"action": "addTag", "tag": "north"}', id from job returning id`.execute(db)
  const id = rows[0]?.id ?? ''
  await expect(run(id, (done, stop) => done === bulkBatch && stop())).rejects.toMatchObject({
    name: 'AbortError',
  })
  return id
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

test.each(['cancelled', 'failed'] as const)(
  'a change that %s half-way is continued @long',
  async (state) => {
    await add(2 * bulkBatch)
    const id = await halfWay(state)
    expect(await readBulk(id)).toMatchObject({
      state,
      changed: bulkBatch,
      rights: { continue: null, revert: null },
    })
    const answers = await Promise.all([1, 2].map(() => refusalOf(`${id}/continue`)))
    expect(new Set(answers.map(([status]) => status))).toEqual(new Set([200, 409]))
    expect(await ended(id)).toMatchObject({ changed: 2 * bulkBatch, refused: 0 })
    expect(await countOf({ tag: 'north' })).toBe(2 * bulkBatch)
    expect(await refusalOf(`${id}/continue`)).toEqual([409, 'bulk_complete'])
    const { rows } = await sql<{ count: number }>`
    select count(*) from maple.event where part_of = ${id}`.execute(server.platform.db)
    expect(rows[0]?.count).toBe(2 * bulkBatch)
  },
)

test('a change that stopped halfway is reverted as far as it got, and then cannot be continued @long', async () => {
  await add(2 * bulkBatch)
  const id = await halfWay('cancelled')
  expect(await revert(id)).toMatchObject({ total: bulkBatch, changed: bulkBatch })
  expect(await countOf({ tag: 'north' })).toBe(0)
  expect(await refusalOf(`${id}/continue`)).toEqual([409, 'bulk_reverted'])
})

test.runIf(isPostgres)(
  'kill -9 in the middle of a revert leaves no device out, and reverts none twice @long',
  async () => {
    await add(10 * bulkBatch)
    const bulk = await change({}, { action: 'accept' })
    const { db } = await maple.open(server.platform)
    const { rows } = await sql<{ id: string }>`
      insert into maple.device_bulk (filter, change, reverts_bulk)
      values ('{}', '{"action": "revert"}', ${bulk.id}) returning id`.execute(db)
    const id = rows[0]?.id ?? ''
    const named = await sql<{ name: string }>`select current_database() as name`.execute(db)
    const database = new URL(inject('postgresUrl'))
    database.pathname = `/${named.rows[0]?.name}`
    const script = new URL('./testing/run-bulk.ts', import.meta.url)
    const first = runScript(script, database.href, id, new Date().toISOString())
    await vi.waitFor(() => expect(first.lines.length).toBeGreaterThan(2), patience)
    first.child.kill('SIGKILL')
    await first.exited
    const { changed = 0 } = (await findBulk(db, id, everything)) ?? {}
    expect([changed > 0, changed < 10 * bulkBatch]).toEqual([true, true])
    await run(id, () => {})
    expect(await readBulk(id)).toMatchObject({ changed: 10 * bulkBatch, unchanged: 0, refused: 0 })
    expect(await countOf({ state: 'accepted' })).toBe(0)
    const parts = await sql<{ count: number }>`
      select count(*) from maple.event where part_of = ${id}`.execute(db)
    expect(parts.rows[0]?.count).toBe(10 * bulkBatch)
  },
  60_000,
)

test('former values are deleted after their retention', async () => {
  await add(3)
  const old = await change({}, { action: 'accept' })
  await sql`
    update maple.device_bulk set created_at = now() - interval '31 days' where id = ${old.id}
  `.execute(server.platform.db)
  await tidyBulks(await maple.open(server.platform), new AbortController().signal)
  expect((await readBulk(old.id)).rights.revert).toBe('bulk_expired')
  expect(await refusalOf(`${old.id}/revert`, { overwrites: false })).toEqual([409, 'bulk_expired'])
})
