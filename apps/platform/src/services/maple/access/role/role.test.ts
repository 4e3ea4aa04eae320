import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type {
  MapleAccount,
  MapleAccountRights,
  MapleRole,
} from '@grove/contract/maple/access/account'
import { mapleRights } from '@grove/contract/maple/access/right.rules'
import { resourceClient } from '../../../../core/testing/resource-client.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'
import { rightsOfRoles, roleRights } from './role.rules.ts'

let server: TestServer
let admin: { authorization: string }
const adminId = randomUUID()
beforeAll(async () => {
  server = await startTestServer([maple])
  admin = await server.bearer(['ADMIN'], adminId)
})
beforeEach(async () => {
  await sql`truncate maple.account, maple.service cascade`.execute(server.platform.db)
  for (const id of ['acme', 'umbra'])
    await sql`insert into maple.service (id, name, name_key) values (${id}, ${id}, ${id})`.execute(
      server.platform.db,
    )
})
afterAll(() => server.close())

const accountsAs = (headers: { authorization: string }) =>
  resourceClient<MapleAccount>(server, '/api/maple/account', headers)

/** A user with an account, and what they ask with. */
async function holder(roles: string[], serviceId: string | null = null) {
  const account = await accountsAs(admin).create({ id: randomUUID(), roles, serviceId })
  return { ...account, headers: await server.bearer(['DEVELOPER'], account.id) }
}

async function ask(
  method: 'GET' | 'POST' | 'DELETE',
  query: Record<string, string> = {},
  headers = admin,
) {
  const answer = await server.app.inject({ method, url: '/api/maple/roles', query, headers })
  return {
    status: answer.statusCode,
    ...answer.json<{ items: MapleRole[]; code: string; roles: string[]; revision: number }>(),
  }
}

async function rightsOf(id: string, headers = admin) {
  const answer = await server.app.inject({ url: `/api/maple/account/rights?id=${id}`, headers })
  return answer.json<MapleAccountRights & { code: string }>()
}

test('roles are listed with the rights that are enforced, and who may grant them', async () => {
  await holder(['viewer', 'legacy-role'])
  const { items } = await ask('GET')
  expect(items.map(({ role }) => role)).toEqual([...Object.keys(roleRights), 'legacy-role'])
  expect(items.find(({ role }) => role === 'operator')).toEqual({
    role: 'operator',
    isKnown: true,
    rights: roleRights['operator'],
    grantedBy: ['admin', 'provider_admin'],
    mayGrant: true,
  })
  expect(items.find(({ role }) => role === 'admin')).toMatchObject({ grantedBy: ['admin'] })
  expect(items.at(-1)).toEqual({
    role: 'legacy-role',
    isKnown: false,
    rights: [],
    grantedBy: [],
    mayGrant: true,
  })
})

test('granting and revoking twice changes once, and the events name the person', async () => {
  const { id } = await holder(['viewer'])
  const one = { id, role: 'operator' }
  expect(await ask('POST', one)).toMatchObject({ roles: ['operator', 'viewer'], revision: 2 })
  expect(await ask('POST', one)).toMatchObject({ roles: ['operator', 'viewer'], revision: 2 })
  expect(await ask('DELETE', one)).toMatchObject({ roles: ['viewer'], revision: 3 })
  expect(await ask('DELETE', one)).toMatchObject({ roles: ['viewer'], revision: 3 })
  expect(await ask('POST', { id: randomUUID(), role: 'viewer' })).toMatchObject({ status: 404 })
  const events = await accountsAs(admin).eventsOf(id)
  expect(events.map(({ action, actor }) => [action, actor])).toEqual([
    ['account.create', adminId],
    ['role.grant', adminId],
    ['role.revoke', adminId],
  ])
  expect(events[1]).toMatchObject({
    before: { roles: ['viewer'] },
    after: { roles: ['operator', 'viewer'] },
  })
})

test('an account has at most sixteen roles, and five concurrent grants are all kept', async () => {
  const { id } = await holder([])
  await Promise.all([1, 2, 3, 4, 5].map((each) => ask('POST', { id, role: `role${each}` })))
  expect((await accountsAs(admin).list()).items[0]?.roles).toHaveLength(5)
  await accountsAs(admin).send(
    'PUT',
    { id },
    { roles: Array.from({ length: 16 }, (_, n) => `r${n}`) },
  )
  expect(await ask('POST', { id, role: 'one-more' })).toMatchObject({ code: 'limit_reached' })
})

test('nobody grants or revokes a role with a right that they lack, in any way', async () => {
  const { headers } = await holder(['provider_admin'])
  const accounts = accountsAs(headers)
  const viewer = await holder(['viewer'])
  const { id } = viewer
  expect(await ask('POST', { id, role: 'operator' }, headers)).toMatchObject({ status: 200 })
  for (const role of ['admin', 'security_officer', 'made-up'])
    for (const method of ['POST', 'DELETE'] as const)
      expect([role, await ask(method, { id, role }, headers)]).toMatchObject([
        role,
        { status: 403 },
      ])
  expect(await accounts.refusal('PUT', { id }, { roles: ['admin'] })).toEqual([403, 'forbidden'])
  const created = { id: randomUUID(), roles: ['security_officer'] }
  expect(await accounts.refusal('POST', {}, created)).toEqual([403, 'forbidden'])
  const { items } = await ask('GET', {}, headers)
  expect(items.filter(({ mayGrant }) => mayGrant).map(({ role }) => role)).toEqual([
    'provider_admin',
    'developer',
    'operator',
    'auditor',
    'viewer',
  ])
})

test('an account cannot revoke rights of one with more, or its own, so no admin is locked out', async () => {
  const lesser = await holder(['provider_admin'])
  const greater = await holder(['admin'])
  const accounts = accountsAs(lesser.headers)
  for (const { id } of [greater, lesser]) {
    expect(await accounts.refusal('DELETE', { id })).toEqual([403, 'forbidden'])
    const ended = { expiresAt: '2020-01-01T00:00:00Z' }
    expect(await accounts.refusal('PUT', { id }, ended)).toEqual([403, 'forbidden'])
    expect(await ask('DELETE', { id, role: 'viewer' }, lesser.headers)).toMatchObject({
      status: 403,
    })
  }
  expect(await ask('DELETE', { id: greater.id, role: 'admin' }, greater.headers)).toMatchObject({
    status: 403,
  })
  // An administrator needs no account.
  await accountsAs(admin).create({ id: adminId, roles: ['admin'] })
  await ask('DELETE', { id: adminId, role: 'admin' })
  await accountsAs(admin).send('DELETE', { id: adminId })
  expect(await ask('GET')).toMatchObject({ status: 200 })
})

test('an account of a service provider sees and changes only accounts of that provider', async () => {
  const { headers } = await holder(['provider_admin'], 'acme')
  const own = await holder(['viewer'], 'acme')
  const foreign = await holder(['viewer'], 'umbra')
  const free = await holder(['viewer', 'secret-role'])
  const accounts = accountsAs(headers)
  expect((await accounts.list()).ids).toHaveLength(2)
  expect((await accounts.list({ q: foreign.id })).ids).toEqual([])
  expect((await accounts.list({ serviceId: 'umbra' })).ids).toEqual([])
  expect((await accounts.list({ role: 'viewer' })).ids).toEqual([own.id])
  for (const id of [foreign.id, free.id, randomUUID()]) {
    expect(await accounts.refusal('PUT', { id }, { roles: [] })).toEqual([404, 'not_found'])
    expect(await accounts.refusal('DELETE', { id })).toEqual([404, 'not_found'])
    expect(await ask('POST', { id, role: 'viewer' }, headers)).toMatchObject({ status: 404 })
    expect(await rightsOf(id, headers)).toMatchObject({ code: 'not_found' })
  }
  const added = await accounts.create({ id: randomUUID(), roles: ['viewer'] })
  expect(added.serviceId).toBe('acme')
  for (const serviceId of ['umbra', 'nowhere', null])
    expect(await accounts.refusal('PUT', { id: own.id }, { serviceId })).toEqual([
      400,
      'invalid_request',
      'serviceId',
    ])
  const { items } = await ask('GET', {}, headers)
  expect(items.map(({ role }) => role)).not.toContain('secret-role')
  const services = resourceClient<{ id: string }>(server, '/api/maple/service', headers)
  expect((await services.list()).ids).toEqual(['acme'])
  expect((await services.list({ id: 'umbra' })).ids).toEqual([])
  const url = '/api/maple/service/activity?id='
  for (const [id, status] of [
    ['acme', 200],
    ['umbra', 404],
    ['nowhere', 404],
  ])
    expect([id, (await server.app.inject({ url: `${url}${id}`, headers })).statusCode]).toEqual([
      id,
      status,
    ])
})

test.each(['admin', 'provider_admin'])(
  'an %s of a service provider creates no account of another or of all',
  async (role) => {
    const { headers } = await holder([role], 'acme')
    const accounts = accountsAs(headers)
    for (const serviceId of [null, 'umbra', 'nowhere']) {
      const id = randomUUID()
      expect(await accounts.refusal('POST', {}, { id, roles: [role], serviceId })).toEqual([
        400,
        'invalid_request',
        'serviceId',
      ])
      expect((await accountsAs(admin).list({ q: id })).ids).toEqual([])
    }
    const { id } = await accounts.create({ id: randomUUID(), roles: [role] })
    expect((await accountsAs(admin).list({ serviceId: 'acme', q: id })).ids).toEqual([id])
  },
)

test('the rights of an account are explained by its roles, and by what blocks it', async () => {
  const { id } = await holder(['operator', 'viewer', 'legacy'], 'acme')
  const explained = await rightsOf(id)
  expect(explained).toMatchObject({ blockedBy: null, serviceId: 'acme', unknownRoles: ['legacy'] })
  expect(explained.rights.map(({ right }) => right)).toEqual([...mapleRights])
  const of = (name: string) => explained.rights.find(({ right }) => right === name)
  expect(of('device.read')).toMatchObject({ roles: ['operator', 'viewer'] })
  expect(of('device.change')).toMatchObject({ roles: ['operator'] })
  expect(of('role.grant')).toMatchObject({ roles: [], givenBy: ['admin', 'provider_admin'] })
  const { db } = server.platform
  await sql`update maple.service set state = 'suspended' where id = 'acme'`.execute(db)
  expect(await rightsOf(id)).toMatchObject({ blockedBy: 'service_suspended' })
  await sql`update maple.account set expires_at = now() where id = ${id}`.execute(db)
  expect(await rightsOf(id)).toMatchObject({ blockedBy: 'expired' })
  expect(await rightsOf(randomUUID())).toMatchObject({ code: 'not_found' })
})

test('everyone can see what their own account allows, and nothing while it is blocked', async () => {
  const own = async (headers: { authorization: string }) => {
    const answer = await server.app.inject({ url: '/api/maple/account/own', headers })
    return answer.json<{ rights: string[] }>().rights
  }
  const officer = await holder(['security_officer', 'legacy-role'])
  expect(await own(officer.headers)).toEqual(rightsOfRoles(['security_officer']))
  expect(await own(await server.bearer(['DEVELOPER']))).toEqual([])
  await sql`update maple.account set expires_at = now() where id = ${officer.id}`.execute(
    server.platform.db,
  )
  expect(await own(officer.headers)).toEqual([])
  const { statusCode } = await server.app.inject({ url: '/api/maple/account/own' })
  expect(statusCode).toBe(401)
})
