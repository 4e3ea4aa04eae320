import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { MapleAccount } from '@grove/contract/maple/access/account'
import { accountSorting, maxRoles } from '@grove/contract/maple/access/account.rules'
import { resourceClient } from '../../../../core/testing/resource-client.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'

let server: TestServer
let accounts: ReturnType<typeof resourceClient<MapleAccount>>
const adminId = randomUUID()
beforeAll(async () => {
  server = await startTestServer([maple])
  accounts = resourceClient(server, '/api/maple/account', await server.bearer(['ADMIN'], adminId))
})
beforeEach(async () => {
  await sql`truncate maple.account, maple.service cascade`.execute(server.platform.db)
})
afterAll(() => server.close())

const addService = (id: string) =>
  sql`insert into maple.service (id, name, name_key) values (${id}, ${id}, ${id})`.execute(
    server.platform.db,
  )
const create = (body: object = {}) => accounts.create({ id: randomUUID(), ...body })
const update = async (id: string, change: object) =>
  (await accounts.send('PUT', { id }, change)).json<MapleAccount>()

test('a new account is returned as it is read afterwards', async () => {
  const account = await create({ roles: ['viewer', 'operator', 'viewer'] })
  expect(account).toMatchObject({ roles: ['operator', 'viewer'], expiresAt: null, revision: 1 })
  expect((await accounts.list()).items).toEqual([account])
  expect(await accounts.eventsOf(account.id)).toMatchObject([
    { action: 'account.create', actor: adminId, before: null, after: account },
  ])
})

test('a user has one account, even when five requests register it at once', async () => {
  const id = randomUUID()
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => accounts.refusal('POST', {}, { id })),
  )
  const refused = answers.filter(([status]) => status !== 201)
  expect(refused).toEqual(Array.from({ length: 4 }, () => [409, 'already_exists', 'id']))
  expect(await accounts.eventsOf(id)).toHaveLength(1)
})

test('if the directory knows people, an account belongs to one of them whose account is open', async () => {
  const [open, closed, stranger] = [randomUUID(), randomUUID(), randomUUID()]
  // It knows the caller, so tokens come from here.
  await sql`
    insert into platform.person (id, is_closed)
    values (${adminId}, false), (${open}, false), (${closed}, true)`.execute(server.platform.db)
  try {
    for (const [id, code] of [
      [stranger, 'unknown_user'],
      [closed, 'account_disabled'],
    ]) {
      const refused = await accounts.send('POST', {}, { id })
      expect(refused.json()).toMatchObject({
        code: 'invalid_request',
        errors: [{ path: 'id', code }],
      })
    }
    expect((await accounts.send('POST', {}, { id: open.toUpperCase() })).statusCode).toBe(201)
  } finally {
    await sql`delete from platform.person`.execute(server.platform.db)
  }
})

test('a change keeps omitted fields, and an empty change keeps the revision', async () => {
  const before = await create({ roles: ['operator'], expiresAt: '2030-01-01T00:00:00Z' })
  const { id } = before
  const after = await update(id, { roles: ['auditor'] })
  expect(after).toMatchObject({ roles: ['auditor'], expiresAt: before.expiresAt, revision: 2 })
  expect(await update(id, { roles: ['auditor'] })).toEqual(after)
  expect(await update(id, { expiresAt: null })).toMatchObject({ expiresAt: null, revision: 3 })
  const was = { roles: ['operator'], revision: 1 }
  const is = { roles: ['auditor'], revision: 2 }
  expect((await accounts.eventsOf(id)).slice(1)).toMatchObject([
    { action: 'account.update', before: was, after: is },
    { action: 'account.update' },
  ])
})

test('changing or deleting an old revision is refused', async () => {
  const { id } = await create()
  await update(id, { roles: ['operator'] })
  const stale = { 'if-match': '"1"' }
  for (const [method, body] of [['PUT', { roles: [] }], ['DELETE']] as const)
    expect(await accounts.refusal(method, { id }, body, stale)).toEqual([409, 'edit_conflict'])
  expect((await accounts.list()).items).toMatchObject([{ roles: ['operator'], revision: 2 }])
})

test('a deleted account is gone, and its user can be registered again', async () => {
  const account = await create()
  const { id } = account
  const current = { 'if-match': '"1"' }
  expect((await accounts.send('DELETE', { id }, undefined, current)).statusCode).toBe(204)
  for (const [method, body] of [['PUT', {}], ['DELETE']] as const)
    expect(await accounts.refusal(method, { id }, body)).toEqual([404, 'not_found'])
  await create({ id })
  expect(await accounts.eventsOf(id)).toMatchObject([
    {},
    { action: 'account.delete', before: account, after: null },
    {},
  ])
})

test.each(accountSorting.by)(
  'pages by %s contain every account once, in both directions',
  async (sort) => {
    for (const year of [2031, 2029, 2029]) await create({ expiresAt: `${year}-01-01T00:00:00Z` })
    await create()
    const { items, ids } = await accounts.list({ sort, order: 'asc' })
    const keys = items.map((item) => item[sort] ?? '9999')
    expect(keys).toEqual(keys.toSorted())
    expect(await accounts.walk({ sort, order: 'asc', limit: '3' })).toEqual(ids)
    expect(await accounts.walk({ sort, order: 'desc', limit: '1' })).toEqual(ids.toReversed())
  },
)

test('a list finds by the beginning of an id, by a whole id, and by validity', async () => {
  const { id } = await create({ expiresAt: '2020-01-01T00:00:00Z' })
  const other = await create({ id: `${id.startsWith('0') ? '1' : '0'}${id.slice(1)}` })
  const found = async (query: Record<string, string>) => (await accounts.list(query)).ids
  expect(await found({ q: id.slice(0, 10).toUpperCase() })).toEqual([id])
  expect(await found({ q: id })).toEqual([id])
  expect(await found({ q: 'nobody' })).toEqual([])
  expect(await found({ validity: 'expired' })).toEqual([id])
  expect(await found({ validity: 'active' })).toEqual([other.id])
})

test('a list of given ids contains those with an account, combined with each other filter', async () => {
  const [one, two] = [await create({ roles: ['viewer'] }), await create({ roles: ['operator'] })]
  await create({ roles: ['viewer'] })
  const ids = [one.id, two.id.toUpperCase(), randomUUID()].join(',')
  const idsOf = async (query: Record<string, string>) =>
    (await accounts.list(query)).items.map(({ id }) => id).toSorted()
  expect(await idsOf({ ids })).toEqual([one.id, two.id].toSorted())
  expect(await idsOf({ ids, role: 'viewer' })).toEqual([one.id])
  expect(await accounts.list({ ids, count: 'true' })).toMatchObject({ count: { value: 2 } })
  expect((await accounts.send('GET', { ids: 'no-uuid' })).statusCode).toBe(400)
})

test('a list filters by role, service provider and upcoming expiry, in every combination', async () => {
  await addService('acme')
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const soon = await create({ roles: ['viewer', 'auditor'], expiresAt: inDays(29) })
  const later = await create({ roles: ['viewer'], expiresAt: inDays(31), serviceId: 'acme' })
  const past = await create({ roles: ['auditor'], expiresAt: inDays(-1), serviceId: 'acme' })
  const found = async (query: Record<string, string>) => (await accounts.list(query)).ids
  expect(await found({ validity: 'expiring' })).toEqual([soon.id])
  expect(await found({ role: 'viewer' })).toEqual([later.id, soon.id])
  expect(await found({ role: 'viewer', order: 'asc' })).toEqual([soon.id, later.id])
  expect(await found({ role: 'auditor', validity: 'expired' })).toEqual([past.id])
  expect(await found({ serviceId: 'acme' })).toEqual([past.id, later.id])
  expect(await found({ serviceId: 'acme', role: 'viewer', validity: 'active' })).toEqual([later.id])
  expect(await found({ role: 'viewer', q: later.id.slice(0, 18) })).toEqual([later.id])
  expect(await found({ role: 'nobody' })).toEqual([])
  for (const sort of accountSorting.by)
    expect(await accounts.walk({ sort, role: 'viewer', limit: '1' })).toHaveLength(2)
  expect(await found({ validity: 'active', sort: 'id', order: 'asc' })).toEqual([soon.id, later.id])
  // A revoked role and another expiry take effect immediately.
  await update(soon.id, { roles: ['auditor'], expiresAt: null })
  expect(await found({ role: 'viewer' })).toEqual([later.id])
  expect(await found({ role: 'auditor', validity: 'active' })).toEqual([soon.id])
})

test('a list counts the matches of its filter on request', async () => {
  await addService('acme')
  await create({ roles: ['viewer'] })
  await create({ roles: ['viewer'], serviceId: 'acme' })
  const { id } = await create({ expiresAt: '2020-01-01T00:00:00Z' })
  const countOf = async (query: Record<string, string>) => {
    const page = await accounts.list({ ...query, count: 'true', limit: '1' })
    return (page as typeof page & { count: object }).count
  }
  const exactly = (value: number) => ({ value, isCapped: false })
  expect(await countOf({})).toEqual(exactly(3))
  expect(await countOf({ role: 'viewer' })).toEqual(exactly(2))
  expect(await countOf({ role: 'viewer', serviceId: 'acme' })).toEqual(exactly(1))
  expect(await countOf({ validity: 'expired' })).toEqual(exactly(1))
  expect(await countOf({ validity: 'active' })).toEqual(exactly(2))
  expect(await countOf({ q: id })).toEqual(exactly(1))
  expect(await accounts.list()).not.toHaveProperty('count')
})

test('an account is added to a service provider that exists and is not suspended', async () => {
  await addService('acme')
  const nowhere = { id: randomUUID(), serviceId: 'nowhere' }
  expect(await accounts.refusal('POST', {}, nowhere)).toEqual([400, 'invalid_request', 'serviceId'])
  const member = await create({ serviceId: 'acme' })
  const other = await create()
  await sql`update maple.service set state = 'suspended'`.execute(server.platform.db)
  expect(await accounts.refusal('PUT', { id: other.id }, { serviceId: 'acme' })).toEqual([
    409,
    'service_suspended',
    'serviceId',
  ])
  // What belongs to it already can still be changed, and leave.
  expect(await update(member.id, { roles: ['viewer'] })).toMatchObject({ serviceId: 'acme' })
  expect(await update(member.id, { serviceId: null })).toMatchObject({ serviceId: null })
})

test.each([
  ['id', { id: 'user-1' }],
  ['roles.0', { roles: ['two words'] }],
  ['roles', { roles: Array.from({ length: maxRoles + 1 }, (_, index) => `role${index}`) }],
  ['expiresAt', { expiresAt: 'tomorrow' }],
  ['expiresAt', { expiresAt: '2030-02-30T00:00:00Z' }],
  ['expiresAt', { expiresAt: '2030-01-01T00:00:00+23:59' }],
  ['expiresAt', { expiresAt: '0001-01-01T00:00:00Z' }],
  ['name', { name: 'surprise' }],
])('a wrong %s is refused and named: %j', async (path, body) => {
  const [status, code, wrong] = await accounts.refusal('POST', {}, { id: randomUUID(), ...body })
  expect([status, code, wrong]).toEqual([400, 'invalid_request', path])
})
