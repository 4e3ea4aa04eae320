import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Device } from '@grove/contract/maple/fleet/device'
import type { DeviceBulk } from '@grove/contract/maple/fleet/device-bulk'
import type { DeviceImport } from '@grove/contract/maple/fleet/device-import'
import type { MapleAbout } from '@grove/contract/maple/about'
import { resourceClient } from '../../../../core/testing/resource-client.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { foldTally } from '../../base/tally.queries.ts'
import { bulkJob } from '../../fleet/device-bulk/device-bulk-job.ts'
import { createImportClient } from '../../fleet/device-import/testing/import-client.ts'
import { maple } from '../../index.ts'
import type { MapleTables } from '../../base/tables.ts'

// Bulk operations of one service provider, concurrent with another's.
let server: TestServer
let admin: { authorization: string }
let acme: Provider
let umbra: Provider
type Provider = Awaited<ReturnType<typeof provider>>

beforeAll(async () => {
  server = await startTestServer([maple], { jobs: { pollMs: 50, hasRecurring: false } })
  admin = await server.bearer(['ADMIN'])
})
beforeEach(async () => {
  const tables = ['device', 'device_term', 'element', 'account', 'service', 'device_bulk', 'job']
  await sql`truncate ${sql.join([...tables, 'device_import', 'event'].map((name) => sql.table(`maple.${name}`)))}
    cascade`.execute(server.platform.db)
  acme = await provider('acme')
  umbra = await provider('umbra')
})
afterAll(() => server.close())

async function provider(id: string) {
  const services = resourceClient(server, '/api/maple/service', admin)
  await services.create({ id, name: `Works of ${id}` })
  const userId = randomUUID()
  const accounts = resourceClient(server, '/api/maple/account', admin)
  await accounts.create({ id: userId, roles: ['admin'], serviceId: id })
  const headers = await server.bearer(['DEVELOPER'], userId)
  return {
    id,
    devices: resourceClient<Device>(server, '/api/maple/device', headers),
    bulks: resourceClient<DeviceBulk>(server, '/api/maple/device/bulk', headers),
    exports: resourceClient(server, '/api/maple/device/export', headers),
    imports: createImportClient(server, headers),
    importList: resourceClient<DeviceImport>(server, '/api/maple/device/import', headers),
    get: async <Answer>(url: string, query: Record<string, string> = {}) => {
      const answer = await server.app.inject({ url, query, headers })
      return { status: answer.statusCode, ...answer.json<Answer>() }
    },
  }
}

const cplcOf = (serial: number) =>
  `4790D3214700104803006123${serial.toString(16).toUpperCase().padStart(8, '0')}0648${'0'.repeat(48)}`
const readAsAdmin = async (id: string) =>
  (await resourceClient<Device>(server, '/api/maple/device', admin).list({ id })).items[0]
const eventsIn = async (serviceId: string) =>
  (
    await sql<{ action: string; subject: string }>`
      select action, subject from maple.event where service_id = ${serviceId} order by id
    `.execute(server.platform.db)
  ).rows.map(({ action, subject }) => `${action} ${subject}`)

const finished = (of: Provider, id: string) =>
  vi.waitFor(
    async () => {
      const bulk = await of.get<DeviceBulk>(`/api/maple/device/bulk/${id}`)
      expect(bulk.state).toBe('completed')
      return bulk
    },
    { timeout: 30_000, interval: 20 },
  )

const csv = (...rows: string[]) => ['id,name,type,state,cplc,inner id,service', ...rows].join('\n')

test('an import creates devices of its own service provider, and of no other @long', async () => {
  const ended = await acme.imports.imported(
    csv(`A-1,Gate,iot,,${cplcOf(1)},,`, 'A-2,Door,iot,,,,acme', 'A-3,Wall,iot,,,,umbra'),
  )
  expect(ended.counts).toEqual({ created: 2, changed: 0, unchanged: 0, wrong: 1 })
  const errors = await acme.imports.errorsOf(ended.id)
  expect(errors.map(({ row, column, code }) => [row, column, code])).toEqual([
    [4, 'service', 'unknown_service'],
  ])
  expect((await acme.devices.list()).items.map(({ id, serviceId }) => [id, serviceId])).toEqual([
    ['A-2', 'acme'],
    ['A-1', 'acme'],
  ])
  expect((await umbra.devices.list()).items).toEqual([])
  const again = await acme.imports.imported(csv('A-1,Gate of acme,iot,,,,'))
  expect(again.counts).toEqual({ created: 0, changed: 1, unchanged: 0, wrong: 0 })
  expect(await eventsIn('acme')).toContain(`device.import ${ended.id}`)
})

test.each(['keep', 'update'] as const)(
  'an id or element of another service provider is taken, and its device is not named: %s @long',
  async (existing) => {
    await umbra.devices.create({
      id: 'U-1',
      name: 'Theirs',
      type: 'iot',
      state: 'quarantined',
      innerId: 'IN-1',
      cplc: [cplcOf(7), cplcOf(8)],
    })
    await umbra.devices.send('DELETE', { id: 'U-1', cplc: cplcOf(8) })
    const before = await readAsAdmin('U-1')
    const ended = await acme.imports.imported(
      csv(
        'U-1,Mine now,iot,online,,,',
        `A-1,Gate,iot,,${cplcOf(7)},,`,
        `A-2,Gate,iot,,${cplcOf(8)},,`,
        'A-3,Gate,iot,,,IN-1,',
      ),
      { existing },
    )
    expect(ended.counts).toEqual({ created: 0, changed: 0, unchanged: 0, wrong: 4 })
    const errors = await acme.imports.errorsOf(ended.id)
    expect(errors.map(({ row, code }) => [row, code])).toEqual([
      [2, 'id_taken'],
      [3, 'element_elsewhere'],
      [4, 'element_elsewhere'],
      [5, 'inner_id_taken'],
    ])
    const said = JSON.stringify(errors.map(({ message }) => message))
    expect(said).not.toContain('U-1')
    expect(await readAsAdmin('U-1')).toEqual(before)
    expect((await acme.devices.list()).items).toEqual([])
  },
)

test('an import of another service provider does not exist, in any call', async () => {
  const file = await umbra.imports.uploaded(csv('U-1,Theirs,iot,,,,'))
  const { id, mapping } = file
  const missing = [404, 'not_found']
  const codeOf = async (
    answer: Promise<{ statusCode: number; json: () => { code?: string } }>,
  ): Promise<unknown[]> => {
    const { statusCode, json } = await answer
    return [statusCode, json().code]
  }
  expect((await acme.importList.list()).items).toEqual([])
  expect((await acme.importList.list({ id })).items).toEqual([])
  expect(await codeOf(acme.imports.post('preview', { id, mapping }))).toEqual(missing)
  const check = { id, mapping, existing: 'keep' }
  expect(await codeOf(acme.imports.post('check', check))).toEqual(missing)
  for (const call of ['start', 'cancel'])
    expect(await codeOf(acme.imports.post(call, { id }))).toEqual(missing)
  for (const call of ['error', 'error/file'])
    expect(
      (await acme.get<{ code: string }>(`/api/maple/device/import/${call}`, { id })).status,
    ).toBe(404)
  expect((await umbra.importList.list()).items).toMatchObject([{ id, state: 'uploaded' }])
})

test('a bulk change affects only the devices of its service provider @long', async () => {
  await acme.devices.create({ id: 'A-1', name: 'Gate', type: 'iot' })
  await umbra.devices.create({ id: 'U-1', name: 'Gate', type: 'iot' })
  const count = await acme.get<{ count: number }>('/api/maple/device/bulk/count', { q: 'gate' })
  expect(count.count).toBe(1)
  const theirs = { serviceId: 'umbra' }
  const none = await acme.get<{ count: number }>('/api/maple/device/bulk/count', theirs)
  expect(none.count).toBe(0)
  for (const filter of [{}, { q: 'gate' }, theirs]) {
    const { id } = await acme.bulks.create({ filter, action: 'accept' })
    await finished(acme, id)
    const answer = await umbra.get<{ code: string }>(`/api/maple/device/bulk/${id}`)
    expect([answer.status, answer.code]).toEqual([404, 'not_found'])
    expect((await umbra.get(`/api/maple/device/bulk/${id}/csv`)).status).toBe(404)
  }
  expect((await readAsAdmin('A-1'))?.state).toBe('accepted')
  expect(await readAsAdmin('U-1')).toMatchObject({ state: 'pending', revision: 1 })
  expect((await acme.bulks.list()).items.map(({ total }) => total)).toEqual([0, 1, 1])
  expect((await umbra.bulks.list()).items).toEqual([])
  // The jobs of these changes belong to the service provider too.
  const jobs = async (of: Provider) =>
    (await of.get<{ items: object[] }>('/api/maple/job')).items.length
  expect([await jobs(acme), await jobs(umbra)]).toEqual([3, 0])
  const said = await eventsIn('acme')
  expect(said.filter((each) => each.startsWith('device_bulk.create'))).toHaveLength(3)
  expect(said).toContain('device.update A-1')
})

test('nobody can move all found devices to another service provider, or out of their own', async () => {
  await acme.devices.create({ id: 'A-1', name: 'Gate', type: 'iot' })
  for (const serviceId of ['umbra', 'nobody', null])
    expect(
      await acme.bulks.refusal('POST', {}, { filter: {}, action: 'setService', serviceId }),
    ).toEqual([400, 'invalid_request', 'serviceId'])
  const { id } = await acme.bulks.create({ filter: {}, action: 'setService', serviceId: 'acme' })
  expect(await finished(acme, id)).toMatchObject({ total: 1, unchanged: 1, refused: 0 })
})

test('a device that left its service provider meanwhile is refused as missing', async () => {
  await acme.devices.create({ id: 'A-1', name: 'Gate', type: 'iot' })
  const { id } = await acme.bulks.create({ filter: {}, action: 'accept' })
  await finished(acme, id)
  const db = server.platform.db
  // As a run that was interrupted after it stored its devices.
  await sql`update maple.device set service_id = 'umbra', state = 'pending'`.execute(db)
  await sql`update maple.device_bulk_item set result = null`.execute(db)
  const run = { id, attempt: 1, createdAt: new Date().toISOString(), progress: () => {} }
  await bulkJob.run(
    { db: db.withTables<MapleTables>(), now: Date.now },
    { id },
    { ...run, signal: new AbortController().signal },
  )
  const csvOf = await server.app.inject({
    url: `/api/maple/device/bulk/${id}/csv`,
    headers: admin,
  })
  expect(csvOf.body).toContain('A-1,refused,not_found')
  expect((await readAsAdmin('A-1'))?.state).toBe('pending')
})

test('the overview counts the objects of a service provider, before and after folding', async () => {
  const about = (of: Provider) => of.get<MapleAbout>('/api/maple/about')
  await acme.devices.create({ id: 'A-1', name: 'One', type: 'iot', cplc: [cplcOf(1)] })
  await acme.devices.create({ id: 'A-2', name: 'Two', type: 'boot', cplc: [cplcOf(2)] })
  await acme.devices.send('DELETE', { id: 'A-2', cplc: cplcOf(2) })
  await umbra.devices.create({ id: 'U-1', name: 'Three', type: 'iot', cplc: [cplcOf(3)] })
  const db = server.platform.db.withTables<MapleTables>()
  for (const isFolded of [false, true]) {
    if (isFolded) await foldTally(db, Date.now())
    const { devices, elements, services, accounts } = await about(acme)
    expect(devices.count).toBe(2)
    expect(devices.groups.filter(({ count }) => count > 0)).toEqual([
      { type: 'iot', state: 'pending', count: 1 },
      { type: 'boot', state: 'pending', count: 1 },
    ])
    expect(devices.seen.find(({ seen }) => seen === 'never')?.count).toBe(2)
    expect(devices.registered.at(-1)?.count).toBe(2)
    expect(elements).toEqual({ count: 2, attached: 1 })
    expect(services).toEqual({ count: 1, suspended: 0 })
    expect(accounts).toEqual({ count: 1, expiringSoon: 0, expired: 0 })
    expect((await about(umbra)).devices.count).toBe(1)
  }
  // A transferred device is counted at its new owner, and so is its element.
  await resourceClient(server, '/api/maple/device', admin).send(
    'PUT',
    { id: 'A-1' },
    { serviceId: 'umbra' },
  )
  expect([(await about(acme)).devices.count, (await about(umbra)).devices.count]).toEqual([1, 2])
  expect([(await about(acme)).elements, (await about(umbra)).elements]).toEqual([
    { count: 1, attached: 0 },
    { count: 2, attached: 2 },
  ])
  await sql`insert into maple.job (name, state, max_attempts, due_at, created_at, queued_at, scope)
    values ('device.bulk', 'failed', 1, now(), now(), now(), 'acme')`.execute(db)
  expect([(await about(acme)).jobs.failed, (await about(umbra)).jobs.failed]).toEqual([1, 0])
})

test('an export appears only in its service provider’s audit trail', async () => {
  const exports = async () =>
    (await eventsIn('acme')).filter((each) => each === 'device.export devices').length
  const prepare = (of: Pick<Provider, 'exports'>) => of.exports.send('POST', {}, { format: 'csv' })
  expect((await prepare(umbra)).statusCode).toBe(200)
  expect(await exports()).toBe(0)
  expect((await prepare(acme)).statusCode).toBe(200)
  expect(await exports()).toBe(1)
})
