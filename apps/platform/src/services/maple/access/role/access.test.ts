import type { InjectOptions } from 'fastify'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '@grove/contract/calls'
import type { Call, RightAccess } from '@grove/contract/call'
import { exampleOf, requiredQueryOf } from '../../../../core/testing/example.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'
import { roleRights } from './role.rules.ts'

const isShort = process.env['GROVE_TESTS'] === 'short'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer([maple])
})
afterAll(() => server.close())

/** Every call of Maple that needs a right, with an id that nothing has. */
const mapleCalls = Object.entries<Call>(calls).flatMap(([key, call]) => {
  if (typeof call.access !== 'object') return []
  const [method = '', path = ''] = key.split(' ')
  const url = path.replaceAll(/\{\w+\}/g, randomUUID()) + requiredQueryOf(call.query)
  return [{ key, call, access: call.access, method: method as 'GET', url }]
})

type MapleCall = (typeof mapleCalls)[number]

const ask = ({ method, url }: MapleCall, headers: InjectOptions['headers'], payload?: object) =>
  server.app.inject({ method, url, headers, ...(payload && { payload }) })

/** The user of an account with these roles, signed in with a token that has no rights itself. */
async function newHolder(roles: string[], more: { expiresAt?: string; serviceId?: string } = {}) {
  const { expiresAt = '9999-12-31', serviceId = null } = more
  const id = randomUUID()
  await sql`
    insert into maple.account (id, roles, expires_at, service_id)
    values (${id}, ${roles}, ${expiresAt}, ${serviceId})`.execute(server.platform.db)
  return { id, headers: await server.bearer(['DEVELOPER'], id) }
}

const holders = new Map<string, ReturnType<typeof newHolder>>()
/** The same user for the same roles: no call below changes one. */
function holder(...given: Parameters<typeof newHolder>) {
  const key = JSON.stringify(given)
  const known = holders.get(key) ?? newHolder(...given)
  holders.set(key, known)
  return known
}

async function addService(id: string) {
  await sql`insert into maple.service (id, name, name_key) values (${id}, ${id}, ${id})
    on conflict do nothing`.execute(server.platform.db)
}

/** The problem without the id of its request: what someone can learn from a refusal. */
async function learned(call: MapleCall, headers: InjectOptions['headers'], payload?: object) {
  const answer = await ask(call, headers, payload)
  const { requestId: _, ...problem } = answer.json<{ requestId: string }>()
  return problem
}

/** The roles of a service provider's staff. */
const limited = ['admin', 'provider_admin']

const refusal = {
  type: 'urn:grove:problem:forbidden',
  title: 'Not allowed',
  status: 403,
  detail: 'You do not have the right to do this.',
  code: 'forbidden',
}

test('every call of Maple needs a right', () => {
  const others = Object.entries<Call>(calls).filter(
    ([, { service, access }]) => service === 'maple' && typeof access !== 'object',
  )
  // Device codes, reader codes and export tickets are issued for a limited time to those with the
  // right. A device downloads its firmware with its own secret. Anyone may query their own rights.
  expect(others.map(([key]) => key)).toEqual([
    'POST /api/maple/device/claim',
    'GET /api/maple/device/export',
    'GET /api/maple/se/element/export',
    'GET /api/maple/account/own',
    'POST /api/maple/reader/claim',
    'GET /api/maple/device/image/{id}',
  ])
  expect(mapleCalls.length).toBeGreaterThan(15)
})

describe.each(mapleCalls)('$key', (call) => {
  test('refuses everyone without the right in the same words, whatever they send', async () => {
    await addService('acme')
    const without = Object.keys(roleRights).filter(
      (role) => !roleRights[role]?.includes(call.access.right),
    )
    const strangers = [
      await server.bearer(['CUSTOMER']),
      await server.bearer(['DEVELOPER']),
      await server.bearer([]),
      await server.bearer(['DEVELOPER'], 'a user of a foreign service'),
      (await holder([])).headers,
      (await holder(['constructor', 'Admin', 'ADMIN', '__proto__'])).headers,
      (await holder(['admin'], { expiresAt: '2020-01-01' })).headers,
      (await holder(without)).headers,
      (await holder(without, { serviceId: 'acme' })).headers,
      ...(call.access.isScoped ? [] : [(await holder(['admin'], { serviceId: 'acme' })).headers]),
    ]
    // A short run tries bodies and unknown parameters only with every third stranger.
    const isTried = (index: number) => !isShort || index % 3 === 0
    const surprising = { ...call, url: `${call.url.split('?')[0]}?surprise=1` }
    const answers = await Promise.all(
      strangers.flatMap((headers, index) => [
        learned(call, headers),
        ...(call.call.body && isTried(index)
          ? [learned(call, headers, exampleOf(call.call.body) as object)]
          : []),
        ...(isTried(index) ? [learned(surprising, headers, { surprise: 1 })] : []),
      ]),
    )
    for (const answer of answers) expect(answer).toEqual(refusal)
  })

  test('accepts an admin, and every role that has the right', async () => {
    const roles = Object.keys(roleRights).filter((role) =>
      roleRights[role]?.includes(call.access.right),
    )
    expect(roles).toContain('admin')
    const allowed = [await server.bearer(['ADMIN'])]
    for (const role of roles) allowed.push((await holder([role])).headers)
    if (call.access.isScoped) {
      await addService('acme')
      for (const role of roles)
        if (limited.includes(role))
          allowed.push((await holder([role], { serviceId: 'acme' })).headers)
    }
    const answers = await Promise.all(allowed.map((headers) => ask(call, headers)))
    for (const { statusCode } of answers)
      expect([call.key, statusCode]).not.toEqual([call.key, 403])
  })
})

const listOfDevices = mapleCalls.find(({ key }) => key === 'GET /api/maple/device')

test('a right ends when the account expires, its role is revoked or its provider is suspended', async () => {
  if (!listOfDevices) throw new Error('no list of devices')
  const scoped: MapleCall | undefined = mapleCalls.find(
    ({ access }: { access: RightAccess }) => access.isScoped,
  )
  const { db } = server.platform
  const { id, headers } = await newHolder(['viewer'])
  const status = async () => (await ask(listOfDevices, headers)).statusCode
  expect(await status()).toBe(200)
  await sql`update maple.account set expires_at = now() where id = ${id}`.execute(db)
  expect(await status()).toBe(403)
  await sql`update maple.account set expires_at = now() + interval '1 hour'`.execute(db)
  expect(await status()).toBe(200)
  await sql`update maple.account set roles = '{}'`.execute(db)
  expect(await status()).toBe(403)
  if (!scoped) return
  await addService('acme')
  const member = await newHolder(['admin'], { serviceId: 'acme' })
  expect((await ask(scoped, member.headers)).statusCode).not.toBe(403)
  await sql`update maple.service set state = 'suspended'`.execute(db)
  expect(await learned(scoped, member.headers)).toEqual(refusal)
})
