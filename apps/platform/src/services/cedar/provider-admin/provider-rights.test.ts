import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import {
  miniApp,
  packageParts,
  startCatalogue,
  tenant,
  type CatalogueServer,
  type Tenant,
} from '../testing/catalogue.ts'

let server: CatalogueServer
let admin: Tenant
beforeAll(async () => {
  server = await startCatalogue()
  admin = await tenant(server, ['ADMIN'])
})
afterAll(() => server.close())

const change = (id: string, body: object) => admin.send('PUT', `/api/admin/provider/${id}`, body)
const granted = (...permissions: string[]) =>
  permissions.map((permission) => ({ permission, mode: 'granted', hosts: [] }))

/** A version whose package has this manifest. */
async function withManifest(anna: Tenant, manifest: object) {
  const { productId, providerId } = await anna.product()
  const { productVersionId: id } = await anna.version(productId)
  const zip = miniApp([{ name: 'manifest.json', data: JSON.stringify(manifest) }])
  const { body } = await anna.upload('/api/storage/productVersion/miniApp', packageParts(id, zip))
  const at = `/api/developer/productVersion/${id}`
  const read = async () => (await anna.send('GET', at)).body as ProductVersion
  const put = (body: object) => anna.send('PUT', at, body)
  return { providerId, version: body as ProductVersion, read, put }
}

test('a version that requires rights its provider lacks cannot be enabled @long', async () => {
  const anna = await tenant(server)
  const { providerId, version, read, put } = await withManifest(anna, {
    reqPermissions: [{ name: 'camera', reason: 'scan' }, { name: 'push' }, 'camera'],
    optPermissions: [{ name: 'location' }],
  })
  expect(version.package?.report?.permissions).toEqual({
    required: ['camera', 'push'],
    optional: ['location'],
  })
  expect(version.missingPermissions).toEqual(['camera', 'push', 'location'])
  expect(version.rights.enable).toBe('permission_missing')
  const refused = await put({ enabled: true })
  expect(refused.body).toMatchObject({ status: 409, code: 'permission_missing' })
  expect(refused.body.detail).toMatch(/camera, push, location.*administrator can grant/)

  const optional = [
    { permission: 'push', mode: 'optional', hosts: [] },
    { permission: 'Location', mode: 'optional', hosts: [] },
  ]
  await change(providerId, { miniAppRights: [...granted('camera'), ...optional] })
  expect((await read()).missingPermissions).toEqual(['push'])
  expect((await put({ enabled: true })).body.code).toBe('permission_missing')
  await change(providerId, { miniAppRights: [...granted('camera', 'push'), optional[1]] })
  expect((await read()).rights.enable).toBeNull()
  expect((await put({ enabled: true })).status).toBe(200)
})

test('a revoked right does not affect a live version, but prevents it from going live again', async () => {
  const anna = await tenant(server)
  const { providerId, put } = await withManifest(anna, { req_permissions: [{ name: 'payment' }] })
  await change(providerId, { miniAppRights: granted('payment') })
  await put({ enabled: true })
  await change(providerId, { miniAppRights: [] })
  const texts = { translations: [{ localeCode: 'en-US', title: 'Better' }] }
  expect((await put(texts)).body).toMatchObject({ enabled: true, missingPermissions: ['payment'] })
  await put({ enabled: false })
  expect((await put({ enabled: true })).body.code).toBe('permission_missing')
})

test('a manifest with more permissions than a report lists is still checked in full', async () => {
  const anna = await tenant(server)
  const names = Array.from({ length: 150 }, (_, index) => `custom.${index}`)
  const { version } = await withManifest(anna, { reqPermissions: names.map((name) => ({ name })) })
  expect(version.missingPermissions).toHaveLength(101)
  expect(version.missingPermissions.at(-1)).toBe('… 50 more')
})

test('rights are checked, kept, shown to the provider’s people and recorded', async () => {
  const anna = await tenant(server)
  const { providerId: id } = await anna.product()
  const network = {
    permission: 'network',
    mode: 'granted',
    hosts: ['*.example.com', 'a.example.org'],
  }
  const { body } = await change(id, { miniAppRights: [network] })
  expect(body.miniAppRights).toEqual([network])
  const [own] = (await anna.send('GET', '/api/provider')).body
  expect(own).toMatchObject({ id, miniAppRights: [network], mobyApiKey: null, mobyApiUrl: null })
  const wrong = {
    'miniAppRights.1.permission': [...granted('camera'), ...granted('CAMERA')],
    'miniAppRights.0.hosts': [{ permission: 'camera', mode: 'none', hosts: ['example.com'] }],
    'miniAppRights.0.hosts.0': [{ ...network, hosts: ['http://example.com'] }],
    'miniAppRights.0.mode': [{ ...network, mode: 'all' }],
    'miniAppRights.0.permission': [{ ...network, permission: '<b>' }],
  }
  for (const [path, miniAppRights] of Object.entries(wrong)) {
    const refused = await change(id, { miniAppRights })
    expect(refused.body).toMatchObject({ status: 400, errors: [{ path }] })
  }
  const activity = await anna.send('GET', `/api/developer/activity?providerId=${id}`)
  expect(activity.body.items[0]).toMatchObject({
    action: 'provider.update',
    actor: admin.userId,
    before: { miniAppRights: [] },
    after: { miniAppRights: [network] },
  })
})

test('the Moby API has a public address, and its names for the owner and the members', async () => {
  const [anna, boris] = [await tenant(server), await tenant(server)]
  for (const each of [anna, boris]) await each.send('GET', '/api/provider')
  const made = await admin.send('POST', '/api/cedar/provider', { name: 'A', ownerId: anna.userId })
  const { id } = made.body as AdminProvider
  await admin.send('POST', '/api/cedar/user', { provider: id, user: boris.userId, action: 'link' })
  const mobyRoles = { owner: ['fleet-admin'], member: ['fleet-reader'] }
  const { body } = await change(id, { mobyApiUrl: 'https://iot.example.com/v2', mobyRoles })
  expect(body).toMatchObject({ mobyApiUrl: 'https://iot.example.com/v2', mobyRoles })
  expect(body.users.map(({ roles }: AdminProvider['users'][number]) => roles)).toEqual([
    ['fleet-admin'],
    ['fleet-reader'],
  ])
  for (const mobyApiUrl of [
    'http://iot.example.com',
    'https://169.254.169.254/',
    'https://[::1]',
  ]) {
    const refused = await change(id, { mobyApiUrl })
    expect(refused.body).toMatchObject({ status: 400, errors: [{ path: 'mobyApiUrl' }] })
  }
  expect((await change(id, { mobyApiUrl: null })).body.mobyApiUrl).toBeNull()
})
