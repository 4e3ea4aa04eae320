import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Event } from '@grove/contract/core/event'
import type { Device } from '@grove/contract/maple/fleet/device'
import type { DeviceBulk, RevertPreview } from '@grove/contract/maple/fleet/device-bulk'
import { resourceClient } from '../../../../core/testing/resource-client.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'
import { createImportClient, type ImportClient } from './testing/import-client.ts'
import { tidyImports } from './import-job.ts'

let server: TestServer
let admin: { authorization: string }
let client: ImportClient
let devices: ReturnType<typeof resourceClient<Device>>
beforeAll(async () => {
  server = await startTestServer([maple], { jobs: { pollMs: 50, hasRecurring: false } })
  admin = await server.bearer(['ADMIN'])
  client = createImportClient(server, admin)
  devices = resourceClient(server, '/api/maple/device', admin)
})
afterAll(() => server.close())

const cplcOf = (serial: number) =>
  `4790D3214700104803006123${serial.toString(16).toUpperCase().padStart(8, '0')}0648${'0'.repeat(48)}`
const read = async (id: string) =>
  (await devices.send('GET', { id })).json<{ items: Device[] }>().items[0]
const hasElement = async (cplc: string) =>
  (
    await server.app.inject({ url: '/api/maple/se/element', query: { cplc }, headers: admin })
  ).json<{ items: object[] }>().items.length > 0
const previewOf = async (id: string) =>
  (
    await server.app.inject({
      url: '/api/maple/device/import/revert',
      query: { id },
      headers: admin,
    })
  ).json<RevertPreview>()

async function revert(id: string, overwrites = false) {
  const response = await client.post('revert', { id, overwrites })
  expect([response.statusCode, response.body]).toEqual([201, response.body])
  const url = `/api/maple/device/bulk/${response.json<DeviceBulk>().id}`
  return vi.waitFor(
    async () => {
      const bulk = (await server.app.inject({ url, headers: admin })).json<DeviceBulk>()
      expect(bulk.state).toBe('completed')
      return bulk
    },
    { timeout: 30_000, interval: 20 },
  )
}

test('devices created by an import are deleted, and those that it changed are restored', async () => {
  await client.imported(`id,name,tags,floor\nI-1,Old,"a,b",1\nI-2,Same,,\n`)
  await devices.send('PUT', { id: 'I-2' }, { cplc: [cplcOf(1)] })
  const second = await client.imported(
    `id,name,type,tags,floor,site,cplc,inner id\nI-1,New,virtual,"b,c",2,Hall,${cplcOf(2)},W-9\nI-2,Same,,,,,,\nI-3,Third,,,,,${cplcOf(3)},\n`,
  )
  expect(second).toMatchObject({
    counts: { created: 1, changed: 1, unchanged: 1 },
    rights: { revert: null },
  })
  expect(await previewOf(second.id)).toMatchObject({ changed: 2, since: 0 })
  const back = await revert(second.id)
  expect(back).toMatchObject({
    revertsImportId: second.id,
    total: 2,
    changed: 2,
    // A deleted device is not restored.
    rights: { revert: 'bulk_final' },
  })
  expect(await read('I-1')).toMatchObject({
    name: 'Old',
    type: 'default',
    tags: ['a', 'b'],
    attributes: { floor: { type: 'number', value: 1 } },
    innerId: null,
    elements: [],
  })
  expect(await read('I-2')).toMatchObject({ elements: [{ cplc: cplcOf(1) }] })
  expect(await read('I-3')).toBeUndefined()
  // Registered by the import, and otherwise unused.
  expect(await hasElement(cplcOf(2))).toBe(false)
  expect(await hasElement(cplcOf(3))).toBe(false)
  expect(await hasElement(cplcOf(1))).toBe(true)
  const { rows } = await sql<{ left: number }>`
    select (select count(*) from maple.device_word where device_id = 'I-3')
      + (select count(*) from maple.device_term where device_id = 'I-3') as left
  `.execute(server.platform.db)
  expect(rows).toEqual([{ left: 0 }])
  // The file can be imported again.
  expect(await client.imported('id,name\nI-3,Third\n')).toMatchObject({ counts: { created: 1 } })
})

test('devices in use or changed since are shown and skipped, or retired', async () => {
  const made = await client.imported(`id,cplc\nU-1,${cplcOf(11)}\nU-2,\nU-3,\nU-4,\n`)
  await devices.send('PUT', { id: 'U-1' }, { name: 'Mine' })
  const secret = await server.app.inject({
    method: 'POST',
    url: '/api/maple/device/credential',
    headers: admin,
    payload: { deviceId: 'U-2' },
  })
  expect(secret.statusCode).toBe(201)
  await sql`delete from maple.device where id = 'U-4'`.execute(server.platform.db)
  expect(await previewOf(made.id)).toEqual({
    changed: 1,
    unchanged: 0,
    since: 2,
    gone: 1,
    items: [
      { id: 'U-1', name: 'Mine', changes: [{ field: 'edited', left: null, now: null }] },
      { id: 'U-2', name: 'U-2', changes: [{ field: 'used', left: null, now: null }] },
    ],
  })
  expect(await revert(made.id)).toMatchObject({ total: 4, changed: 1, refused: 3 })
  expect(await read('U-1')).toMatchObject({ name: 'Mine', state: 'pending' })
  expect(await read('U-3')).toBeUndefined()
  expect(await revert(made.id, true)).toMatchObject({ changed: 2, refused: 2 })
  expect(await read('U-1')).toMatchObject({ state: 'retired', elements: [{ cplc: cplcOf(11) }] })
  expect(await read('U-2')).toMatchObject({ state: 'retired' })
})

test('an element that was registered before, or is in use, stays registered', async () => {
  await devices.create({ id: 'E-0', name: 'Former', type: 'iot', cplc: [cplcOf(21)] })
  await devices.send('DELETE', { id: 'E-0', cplc: cplcOf(21) })
  const made = await client.imported(`id,cplc\nE-1,${cplcOf(21)}\nE-2,${cplcOf(22)}\n`)
  await sql`update maple.element set has_hsm = true where cplc = ${cplcOf(22)}`.execute(
    server.platform.db,
  )
  expect(await revert(made.id)).toMatchObject({ changed: 2 })
  expect([await hasElement(cplcOf(21)), await hasElement(cplcOf(22))]).toEqual([true, true])
})

test('a later import of the same devices counts as a change since', async () => {
  const first = await client.imported('id,name\nL-1,One\n')
  const second = await client.imported('id,name\nL-1,Two\n')
  expect(await previewOf(first.id)).toMatchObject({ changed: 0, since: 1 })
  expect(await revert(second.id)).toMatchObject({ changed: 1 })
  expect(await read('L-1')).toMatchObject({ name: 'One' })
})

test('an inner id that another device has meanwhile stays there', async () => {
  await client.imported('id,inner id\nN-1,W-1\n')
  const second = await client.imported('id,inner id\nN-1,W-2\n')
  await devices.create({ id: 'N-2', name: 'Other', type: 'iot', innerId: 'W-1' })
  expect(await revert(second.id)).toMatchObject({ changed: 0, refused: 1 })
  expect(await read('N-1')).toMatchObject({ innerId: 'W-2' })
})

test('two concurrent requests make one revert, with its parts under its event', async () => {
  const made = await client.imported('id\nP-1\nP-2\n')
  const answers = await Promise.all(
    [1, 2].map(() => client.post('revert', { id: made.id, overwrites: false })),
  )
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([201, 409]))
  const id = answers.find(({ statusCode }) => statusCode === 201)?.json<DeviceBulk>().id ?? ''
  const eventsOf = async (query: Record<string, string>) =>
    (await server.app.inject({ url: '/api/maple/event', query, headers: admin })).json<{
      items: Event[]
    }>().items
  await vi.waitFor(async () => expect(await eventsOf({ partOf: id })).toHaveLength(2), {
    timeout: 30_000,
    interval: 50,
  })
  expect(await eventsOf({ subject: 'P-1' })).toMatchObject([
    { action: 'device.delete', partOf: id, before: { id: 'P-1' } },
  ])
  expect((await eventsOf({ limit: '1' }))[0]).toMatchObject({
    action: 'device_bulk.revert',
    after: { reverts: { import: made.id, fileName: 'fleet.csv' } },
  })
})

test('changes by an import are under its event, and kept for their retention', async () => {
  await client.imported('id,name\nT-1,One\n')
  const { id } = await client.imported('id,name\nT-1,Two\n')
  const response = await server.app.inject({
    url: '/api/maple/event',
    query: { partOf: id },
    headers: admin,
  })
  expect(response.json()).toMatchObject({ items: [{ action: 'device.update', subject: 'T-1' }] })
  await sql`update maple.device_import set created_at = now() - interval '31 days'
    where id = ${id}`.execute(server.platform.db)
  await tidyImports(await maple.open(server.platform), new AbortController().signal)
  expect((await client.read(id)).rights.revert).toBe('bulk_expired')
  const refused = await client.post('revert', { id, overwrites: false })
  expect([refused.statusCode, refused.json<{ code: string }>().code]).toEqual([409, 'bulk_expired'])
})
