import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { MapleService } from '@grove/contract/maple/access/service'
import { serviceSorting } from '@grove/contract/maple/access/service.rules'
import { resourceClient } from '../../../../core/testing/resource-client.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'

let server: TestServer
let services: ReturnType<typeof resourceClient<MapleService>>
let headers: { authorization: string }
const adminId = randomUUID()
beforeAll(async () => {
  server = await startTestServer([maple])
  headers = await server.bearer(['ADMIN'], adminId)
  services = resourceClient(server, '/api/maple/service', headers)
})
beforeEach(async () => {
  await sql`truncate maple.service cascade`.execute(server.platform.db)
})
afterAll(() => server.close())

const create = (id: string, name = `Provider ${id}`) => services.create({ id, name })
const impactOf = async (id: string) => {
  const answer = await server.app.inject({ url: `/api/maple/service/impact?id=${id}`, headers })
  return answer.json<object>()
}
const addAccount = async (serviceId: string) => {
  const id = randomUUID()
  await sql`insert into maple.account (id, roles, service_id) values (${id}, '{}', ${serviceId})`.execute(
    server.platform.db,
  )
  return id
}

test('a service provider is added, renamed, suspended and deleted, each with an event', async () => {
  const added = await create('acme', ' Acme  Wearables ')
  expect(added).toMatchObject({ id: 'acme', name: 'Acme Wearables', state: 'active', revision: 1 })
  expect(await services.refusal('POST', {}, { id: 'acme', name: 'Other' })).toEqual([
    409,
    'already_exists',
    'id',
  ])
  const current = (revision: number) => ({ 'if-match': `"${revision}"` })
  const renamed = await services.send('PUT', { id: 'acme' }, { name: 'Acme' }, current(1))
  expect(renamed.json()).toMatchObject({ name: 'Acme', state: 'active', revision: 2 })
  const suspended = await services.send('PUT', { id: 'acme' }, { state: 'suspended' }, current(2))
  expect(suspended.json()).toMatchObject({ name: 'Acme', state: 'suspended', revision: 3 })
  expect(await services.refusal('PUT', { id: 'acme' }, { name: 'Late' }, current(2))).toEqual([
    409,
    'edit_conflict',
  ])
  expect(await services.refusal('DELETE', { id: 'acme' }, undefined, current(2))).toEqual([
    409,
    'edit_conflict',
  ])
  expect((await services.send('DELETE', { id: 'acme' })).statusCode).toBe(204)
  expect(await services.refusal('DELETE', { id: 'acme' })).toEqual([404, 'not_found'])
  expect((await services.eventsOf('acme')).map(({ action, actor }) => [action, actor])).toEqual([
    ['service.create', adminId],
    ['service.update', adminId],
    ['service.update', adminId],
    ['service.delete', adminId],
  ])
})

test('a service provider with an account cannot be deleted, and its impact says why', async () => {
  await create('acme')
  const account = await addAccount('acme')
  expect(await impactOf('acme')).toMatchObject({
    devices: { value: 0, isCapped: false },
    accounts: { value: 1, isCapped: false },
  })
  expect(await services.refusal('DELETE', { id: 'acme' })).toEqual([409, 'service_in_use'])
  await sql`delete from maple.account where id = ${account}`.execute(server.platform.db)
  expect((await services.send('DELETE', { id: 'acme' })).statusCode).toBe(204)
  expect(await impactOf('acme')).toMatchObject({ status: 404, code: 'not_found' })
})

test('the use of a service provider is its devices and events of each day', async () => {
  await create('busy')
  await create('idle')
  const send = (url: string, payload: object) =>
    server.app.inject({ method: 'POST', url: `/api/maple/${url}`, headers, payload })
  for (const serviceId of ['busy', 'busy', 'idle'])
    await send('device', { name: 'Watch', type: 'iot', serviceId })
  await send('account', { id: randomUUID(), serviceId: 'busy' })
  const activityOf = async (query: string) => {
    const answer = await server.app.inject({ url: `/api/maple/service/activity?${query}`, headers })
    return answer.json<{ items: { day: string; devices: number; events: number }[] }>().items
  }
  const days = await activityOf('id=busy&days=3')
  const today = new Date().toISOString().slice(0, 10)
  expect(days).toHaveLength(3)
  // Added, two devices, and an account.
  expect(days.at(-1)).toEqual({ day: today, devices: 2, events: 4 })
  expect(days[0]).toMatchObject({ devices: 0, events: 0 })
  expect(await activityOf('id=idle')).toHaveLength(30)
})

test('the events of a service provider are visible only to admins and its own accounts', async () => {
  for (const id of ['harbour', 'meadow']) await create(id)
  const id = randomUUID()
  const account = await server.bearer(['DEVELOPER'], id)
  await server.app.inject({
    method: 'POST',
    url: '/api/maple/account',
    headers,
    payload: { id, serviceId: 'harbour', roles: ['admin'] },
  })
  const read = async (path: string, as: object = headers) =>
    (await server.app.inject({ url: `/api/maple/${path}`, headers: { ...as } })).json<{
      items: { subject: string }[]
    }>()
  const subjectsOf = async (query: string, as?: object) =>
    (await read(`event?${query}`, as)).items.map(({ subject }) => subject)
  expect(await subjectsOf('serviceId=harbour')).toEqual([id, 'harbour'])
  expect(await subjectsOf('serviceId=harbour', account)).toEqual([id, 'harbour'])
  expect(await subjectsOf('serviceId=meadow', account)).toEqual([])
  expect(await read('service/impact?id=harbour', account)).toMatchObject({ accounts: { value: 1 } })
  expect(await read('service/impact?id=meadow', account)).toMatchObject({ code: 'not_found' })
})

test('of two admins who delete at once, one deletes and the other is told that it is gone', async () => {
  await create('acme')
  const answers = await Promise.all(
    ['a', 'b'].map(() => services.send('DELETE', { id: 'acme' }, undefined, { 'if-match': '"1"' })),
  )
  expect(answers.map(({ statusCode }) => String(statusCode)).toSorted()).toEqual(['204', '404'])
})

test.each(serviceSorting.by)(
  'pages by %s contain every one once, in both directions',
  async (sort) => {
    for (const id of ['b', 'd', 'a', 'c']) await create(id, id === 'a' ? 'Zebra' : `émile ${id}`)
    const { items, ids } = await services.list({ sort, order: 'asc' })
    if (sort === 'name')
      expect(items.map(({ name }) => name)).toEqual(['Zebra', 'émile b', 'émile c', 'émile d'])
    expect(await services.walk({ sort, order: 'asc', limit: '3' })).toEqual(ids)
    expect(await services.walk({ sort, order: 'desc', limit: '1' })).toEqual(ids.toReversed())
  },
)

test('a list finds by the beginning of an id or a name, by a whole id, and by state', async () => {
  await create('acme', 'Wearables of Acme')
  await create('umbra', 'Acme’s other name')
  await services.send('PUT', { id: 'umbra' }, { state: 'suspended' })
  const found = async (query: Record<string, string>) => (await services.list(query)).ids
  expect((await found({ q: ' ACME' })).toSorted()).toEqual(['acme', 'umbra'])
  expect(await found({ q: 'wear' })).toEqual(['acme'])
  expect(await found({ q: '%' })).toEqual([])
  expect(await found({ id: 'acm' })).toEqual([])
  expect(await found({ id: 'acme' })).toEqual(['acme'])
  expect(await found({ state: 'suspended' })).toEqual(['umbra'])
  expect(await found({ state: 'active', q: 'acme' })).toEqual(['acme'])
})

test.each([
  ['id', { id: 'Upper' }],
  ['id', { id: 'a/b' }],
  ['name', { name: '' }],
  ['state', { state: 'active' }],
])('a wrong %s is refused and named: %j', async (path, body) => {
  const [status, code, wrong] = await services.refusal('POST', {}, { id: 'x', name: 'X', ...body })
  expect([status, code, wrong]).toEqual([400, 'invalid_request', path])
})
