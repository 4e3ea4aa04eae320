import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { MapleAccount } from '@grove/contract'
import { accountSorts, mostRoles } from '@grove/contract/maple/account.rules'
import { startTestServer, type TestServer } from '../../../core/testing/test-platform.ts'
import { maple } from '../index.ts'

let server: TestServer
let admin: { authorization: string }
const adminId = randomUUID()
beforeAll(async () => {
  server = await startTestServer([maple])
  admin = await server.bearer(['ADMIN'], adminId)
})
beforeEach(async () => {
  await sql`truncate maple.account`.execute(server.platform.db)
})
afterAll(() => server.close())

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

function send(method: Method, query: Record<string, string>, payload?: object, headers = {}) {
  return server.app.inject({
    method,
    url: '/api/maple/account',
    query,
    headers: { ...admin, ...headers },
    ...(payload && { payload }),
  })
}

async function create(body: object = {}): Promise<MapleAccount> {
  const response = await send('POST', {}, { id: randomUUID(), ...body })
  expect([response.statusCode, response.body]).toEqual([201, response.body])
  return response.json()
}

async function list(query: Record<string, string> = {}) {
  const page: { items: MapleAccount[]; next: string | null; previous: string | null } = (
    await send('GET', query)
  ).json()
  return { ...page, ids: page.items.map(({ id }) => id) }
}

async function auditOf(id: string) {
  const { rows } = await sql`
    select action, actor, before, after from maple.event where subject = ${id} order by id
  `.execute(server.platform.db)
  return rows
}

test('a new account is answered as it is then read', async () => {
  const account = await create({ roles: ['viewer', 'operator', 'viewer'] })
  expect(account).toMatchObject({ roles: ['operator', 'viewer'], expiresAt: null, revision: 1 })
  expect((await list()).items).toEqual([account])
  expect(await auditOf(account.id)).toMatchObject([
    { action: 'account.create', actor: adminId, before: null, after: account },
  ])
})

test('a user has one account, however many register it at once', async () => {
  const id = randomUUID()
  const answers = await Promise.all(Array.from({ length: 5 }, () => send('POST', {}, { id })))
  expect(answers.map((answer) => answer.statusCode).toSorted((a, b) => a - b)).toEqual([
    201, 409, 409, 409, 409,
  ])
  const refused = answers.find((answer) => answer.statusCode === 409)?.json()
  expect(refused).toMatchObject({ code: 'already_exists', errors: [{ path: 'id' }] })
  expect(await auditOf(id)).toHaveLength(1)
})

test('a change keeps what it does not name, and a change of nothing keeps the revision', async () => {
  const before = await create({ roles: ['operator'], expiresAt: '2030-01-01T00:00:00Z' })
  const { id } = before
  const after = (await send('PUT', { id }, { roles: ['auditor'] })).json<MapleAccount>()
  expect(after).toMatchObject({ roles: ['auditor'], expiresAt: before.expiresAt, revision: 2 })
  expect((await send('PUT', { id }, { roles: ['auditor'] })).json()).toEqual(after)
  const endless = (await send('PUT', { id }, { expiresAt: null })).json<MapleAccount>()
  expect(endless).toMatchObject({ expiresAt: null, revision: 3 })
  const was = { roles: ['operator'], revision: 1 }
  const is = { roles: ['auditor'], revision: 2 }
  expect(await auditOf(id)).toMatchObject([
    {},
    { action: 'account.update', before: was, after: is },
    {},
  ])
})

test('changing or deleting an old revision is refused', async () => {
  const { id } = await create()
  await send('PUT', { id }, { roles: ['operator'] })
  const stale = { 'if-match': '"1"' }
  for (const [method, body] of [['PUT', { roles: [] }], ['DELETE']] as const) {
    const response = await send(method, { id }, body, stale)
    expect([response.statusCode, response.json().code]).toEqual([409, 'edit_conflict'])
  }
  expect((await list()).items).toMatchObject([{ roles: ['operator'], revision: 2 }])
})

test('a deleted account is gone, and its user can be registered again', async () => {
  const account = await create()
  const { id } = account
  expect((await send('DELETE', { id }, undefined, { 'if-match': '"1"' })).statusCode).toBe(204)
  for (const [method, body] of [['PUT', {}], ['DELETE']] as const)
    expect((await send(method, { id }, body)).json().code).toBe('not_found')
  await create({ id })
  expect(await auditOf(id)).toMatchObject([
    {},
    { action: 'account.delete', before: account, after: null },
    {},
  ])
})

test.each(accountSorts)('pages by %s hold every account once, both ways', async (sort) => {
  for (const year of [2031, 2029, 2029]) await create({ expiresAt: `${year}-01-01T00:00:00Z` })
  await create()
  const whole = await list({ sort, order: 'asc' })
  const keys = whole.items.map((item) => item[sort] ?? '9999')
  expect(keys).toEqual(keys.toSorted())
  const first = await list({ sort, order: 'asc', limit: '3' })
  const second = await list({ sort, order: 'asc', limit: '3', cursor: first.next ?? '' })
  expect([...first.ids, ...second.ids]).toEqual(whole.ids)
  const back = await list({ sort, order: 'asc', limit: '3', cursor: second.previous ?? '' })
  expect(back.ids).toEqual(first.ids)
  expect((await list({ sort, order: 'desc' })).ids).toEqual(whole.ids.toReversed())
})

test('a list finds by the beginning of an id, by a whole id, and by validity', async () => {
  const { id } = await create({ expiresAt: '2020-01-01T00:00:00Z' })
  const other = await create({ id: `${id.startsWith('0') ? '1' : '0'}${id.slice(1)}` })
  expect((await list({ q: id.slice(0, 10).toUpperCase() })).ids).toEqual([id])
  expect((await list({ q: id })).ids).toEqual([id])
  expect((await list({ q: 'nobody' })).ids).toEqual([])
  expect((await list({ validity: 'expired' })).ids).toEqual([id])
  expect((await list({ validity: 'active' })).ids).toEqual([other.id])
})

test.each([
  ['id', { id: 'user-1' }],
  ['roles.0', { roles: ['two words'] }],
  ['roles', { roles: Array.from({ length: mostRoles + 1 }, (_, index) => `role${index}`) }],
  ['expiresAt', { expiresAt: 'tomorrow' }],
  ['expiresAt', { expiresAt: '2030-02-30T00:00:00Z' }],
  ['expiresAt', { expiresAt: '2030-01-01T00:00:00+23:59' }],
  ['expiresAt', { expiresAt: '0001-01-01T00:00:00Z' }],
  ['name', { name: 'surprise' }],
])('a wrong %s is refused and named: %j', async (path, body) => {
  const response = await send('POST', {}, { id: randomUUID(), ...body })
  expect([response.statusCode, response.json().errors?.[0].path]).toEqual([400, path])
})
