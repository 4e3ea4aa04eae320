import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { AccountBulk } from '@grove/contract/maple/access/account-bulk'
import type { MapleAccount } from '@grove/contract/maple/access/account'
import { maxBulkAccounts } from '@grove/contract/maple/access/account-bulk.rules'
import { resourceClient } from '../../../../core/testing/resource-client.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'
import { accountBulkJob, tidyAccountBulks } from './account-bulk-job.ts'

const url = '/api/maple/account/bulk'
const patience = { timeout: 30_000, interval: 20 }

let server: TestServer
let admin: { authorization: string }
let accounts: ReturnType<typeof resourceClient<MapleAccount>>
let bulks: ReturnType<typeof resourceClient<AccountBulk>>
const adminId = randomUUID()
beforeAll(async () => {
  server = await startTestServer([maple])
  admin = await server.bearer(['ADMIN'], adminId)
  accounts = resourceClient(server, '/api/maple/account', admin)
  bulks = resourceClient(server, url, admin)
})
afterAll(() => server.close())

const create = async (body: object = {}) =>
  (await accounts.create({ id: randomUUID(), ...body })).id
const ask = (path: string, headers = admin, method: 'GET' | 'POST' = 'GET') =>
  server.app.inject({ method, url: `${url}/${path}`, headers })
const rolesOf = async (id: string) =>
  (await accounts.list({ q: id })).items.map(({ roles }) => roles.join())[0]

async function ended(id: string, headers = admin) {
  return vi.waitFor(async () => {
    const bulk = (await ask(id, headers)).json<AccountBulk>()
    expect(['completed', 'cancelled']).toContain(bulk.state)
    return bulk
  }, patience)
}

test('many accounts are changed by one job, each with a result and an event', async () => {
  const fresh = await Promise.all(Array.from({ length: 120 }, () => create()))
  const holder = await create({ roles: ['operator'] })
  const missing = randomUUID()
  const ids = [...fresh, holder, missing]
  const { id } = await bulks.create({ ids, action: 'grant', role: 'operator' })
  expect(await ended(id)).toMatchObject({
    total: 122,
    changed: 120,
    unchanged: 1,
    refused: 1,
    createdBy: adminId,
  })
  expect(await rolesOf(fresh[0]!)).toBe('operator')
  expect((await accounts.eventsOf(fresh[1]!)).at(-1)).toMatchObject({
    action: 'role.grant',
    actor: adminId,
  })
  const lines = (await ask(`${id}/csv`)).body.trimEnd().split('\r\n')
  expect(lines).toHaveLength(123)
  expect(lines[0]).toBe('id,result,reason')
  expect(lines).toContain(`${missing},refused,not_found`)
  expect(lines).toContain(`${holder},unchanged,`)
})

test('roles are revoked, and an expiry is set and removed', async () => {
  const id = await create({ roles: ['auditor', 'viewer'] })
  const change = async (what: object) => ended((await bulks.create({ ids: [id], ...what })).id)
  const read = async () => (await accounts.list({ q: id })).items[0]
  await change({ action: 'revoke', role: 'auditor' })
  await change({ action: 'setExpiry', expiresAt: '2031-02-03T04:05:06Z' })
  expect(await read()).toMatchObject({
    roles: ['viewer'],
    expiresAt: '2031-02-03T04:05:06.000000Z',
  })
  await change({ action: 'setExpiry', expiresAt: null })
  expect(await read()).toMatchObject({ expiresAt: null, revision: 4 })
  expect(await change({ action: 'setExpiry', expiresAt: null })).toMatchObject({ unchanged: 1 })
})

test('a job changes only what the person may change, and only they see it', async () => {
  await sql`
    insert into maple.service (id, name, name_key)
    values ('acme', 'Acme', 'acme'), ('umbra', 'Umbra', 'umbra')`.execute(server.platform.db)
  const manager = await create({ roles: ['provider_admin'], serviceId: 'acme' })
  const other = await create({ roles: ['provider_admin'], serviceId: 'umbra' })
  const [own, foreign, strong] = [
    await create({ serviceId: 'acme' }),
    await create({ serviceId: 'umbra' }),
    await create({ roles: ['admin'], serviceId: 'acme' }),
  ]
  const headers = await server.bearer(['DEVELOPER'], manager)
  const ask2 = resourceClient<AccountBulk>(server, url, headers)
  const { id } = await ask2.create({
    ids: [own, foreign, strong, manager],
    action: 'grant',
    role: 'viewer',
  })
  expect(await ended(id, headers)).toMatchObject({ changed: 1, refused: 3 })
  expect([await rolesOf(own), await rolesOf(foreign)]).toEqual(['viewer', ''])
  const csv = (await ask(`${id}/csv`, headers)).body
  expect(csv).toContain(`${foreign},refused,not_found`)
  expect(csv).toContain(`${strong},refused,forbidden`)
  expect(csv).toContain(`${manager},refused,forbidden`)
  const stranger = await server.bearer(['DEVELOPER'], other)
  for (const path of [id, `${id}/csv`]) expect((await ask(path, stranger)).statusCode).toBe(404)
  expect((await ask(`${id}/cancel`, stranger, 'POST')).statusCode).toBe(404)
})

test('a cancelled change changes nothing more', async () => {
  const ids = [await create(), await create()]
  const context = await maple.open(server.platform)
  const { rows } = await sql<{ id: string }>`
    insert into maple.account_bulk (change, actor, total, created_by)
    values ('{"action":"grant","role":"viewer"}',
      ${JSON.stringify({ id: adminId, roles: ['ADMIN'], origin: { requestId: '', ip: '', userAgent: '' } })},
      2, ${adminId})
    returning id`.execute(server.platform.db)
  const id = rows[0]?.id ?? ''
  await sql`
    insert into maple.account_bulk_item (bulk_id, account_id)
    select ${id}, unnest(${ids}::uuid[])`.execute(server.platform.db)
  expect((await ask(`${id}/cancel`, admin, 'POST')).json()).toMatchObject({ state: 'cancelled' })
  const run = {
    id,
    attempt: 1,
    createdAt: new Date().toISOString(),
    signal: new AbortController().signal,
    progress: () => {},
  }
  await accountBulkJob.run(context, { id }, run)
  expect((await ask(id)).json()).toMatchObject({ state: 'cancelled', changed: 0 })
  expect(await rolesOf(ids[0]!)).toBe('')
  expect((await ask(`${id}/csv`)).body).toContain(`${ids[0]},pending,`)
})

test.each([
  [{ ids: [], action: 'grant', role: 'viewer' }, 'ids'],
  [{ ids: Array.from({ length: maxBulkAccounts + 1 }, randomUUID), action: 'grant' }, 'ids'],
  [{ ids: [randomUUID()], action: 'grant' }, 'role'],
  [{ ids: [randomUUID()], action: 'setExpiry' }, 'expiresAt'],
])('refuses invalid changes and names the field', async (body, field) => {
  expect(await bulks.refusal('POST', {}, body)).toEqual([400, 'invalid_request', field])
})

test('it is deleted with its results after its retention', async () => {
  const { id } = await bulks.create({ ids: [await create()], action: 'grant', role: 'viewer' })
  await ended(id)
  await sql`
    update maple.account_bulk set created_at = now() - interval '31 days' where id = ${id}
  `.execute(server.platform.db)
  await tidyAccountBulks(await maple.open(server.platform))
  expect((await ask(id)).statusCode).toBe(404)
})
