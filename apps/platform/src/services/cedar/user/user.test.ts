import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCatalogue, tenant, type CatalogueServer, type Tenant } from '../testing/catalogue.ts'

let server: CatalogueServer
let admin: Tenant
beforeAll(async () => {
  server = await startCatalogue()
  admin = await tenant(server, ['ADMIN'])
})
afterAll(() => server.close())

const providersOf = ({ userId }: Tenant, as = admin) =>
  as.send('GET', `/api/cedar/user/provider?user=${userId}`)
const keysOf = ({ userId }: Tenant, as = admin) =>
  as.send('GET', `/api/cedar/user/key?user=${userId}`)

async function organisation(owner: Tenant) {
  await owner.send('GET', '/api/provider')
  const { body } = await admin.send('POST', '/api/cedar/provider', {
    name: 'Apple',
    ownerId: owner.userId,
  })
  const mobyRoles = { owner: ['chief'], member: ['reader'] }
  await admin.send('PUT', `/api/admin/provider/${body.id}`, { mobyRoles })
  return String(body.id)
}

const link = (provider: string, { userId }: Tenant, action = 'link') =>
  admin.send('POST', '/api/cedar/user', { provider, user: userId, action })

test('an admin sees the providers of a user, the personal one first, and the roles in each', async () => {
  const [anna, boris] = [await tenant(server), await tenant(server)]
  const { providerId } = await boris.product()
  const id = await organisation(anna)
  await link(id, boris)
  const { body } = await providersOf(boris)
  expect(body.items).toMatchObject([
    { provider: { id: providerId, isDefault: true }, isOwner: true, roles: [] },
    { provider: { id, isDefault: false, ownerId: anna.userId }, isOwner: false, roles: ['reader'] },
  ])
  expect((await providersOf(anna)).body.items).toMatchObject([
    { provider: { isDefault: true } },
    { provider: { id }, isOwner: true, roles: ['chief'] },
  ])
  await link(id, boris, 'unlink')
  expect((await providersOf(boris)).body.items).toHaveLength(1)
})

test('an admin sees which keys a user created, without the keys themselves, until they end', async () => {
  const [anna, boris] = [await tenant(server), await tenant(server)]
  const providerId = await organisation(anna)
  await boris.send('GET', '/api/provider')
  await link(providerId, boris)
  const named = { providerId, name: 'Build server' }
  const { body: publish } = await boris.send('POST', '/api/developer/publishKey', named)
  const { body: api } = await boris.send('POST', `/api/provider/${providerId}/key`, {
    name: 'Gateway',
    scopes: ['device.read'],
  })
  await anna.send('POST', '/api/developer/publishKey', { providerId, name: 'Of Anna' })
  const { body } = await keysOf(boris)
  expect(body.items).toMatchObject([
    { kind: 'api', name: 'Gateway', providerId, ending: api.last4, lastUsedAt: null },
    { kind: 'publish', name: 'Build server', providerId, ending: publish.ending },
  ])
  for (const { key } of [publish, api]) expect(JSON.stringify(body)).not.toContain(key)
  await link(providerId, boris, 'unlink')
  expect((await keysOf(boris)).body.items).toEqual([])
})

test('developers see their own, and nobody else’s', async () => {
  const [anna, boris] = [await tenant(server), await tenant(server)]
  const id = await organisation(anna)
  await anna.send('POST', '/api/developer/publishKey', { providerId: id, name: 'Build server' })
  expect((await providersOf(anna, anna)).body).toEqual((await providersOf(anna)).body)
  expect((await keysOf(anna, anna)).body.items).toMatchObject([{ providerId: id }])
  for (const ask of [providersOf, keysOf]) {
    expect((await ask(boris, anna)).body.code).toBe('forbidden')
    expect((await ask({ ...anna, userId: 'nobody' })).body).toEqual({ items: [] })
    expect((await ask({ ...anna, userId: '' })).status).toBe(400)
    expect((await ask(anna, await tenant(server, ['CUSTOMER']))).status).toBe(403)
  }
})
