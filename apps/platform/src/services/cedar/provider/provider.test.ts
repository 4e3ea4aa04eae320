import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Provider } from '@grove/contract/cedar/provider'
import { startCatalogue, tenant, type CatalogueServer } from '../testing/catalogue.ts'
import { createProvider } from '../provider-admin/provider-admin.service.ts'
import { createOwnProvider, ensureGenericProvider } from './provider.service.ts'

let server: CatalogueServer
beforeAll(async () => {
  server = await startCatalogue()
})
afterAll(() => server.close())

const url = '/api/provider'

it('a developer has one generic provider from the first call on, even with concurrent calls', async () => {
  const anna = await tenant(server)
  const lists = await Promise.all(Array.from({ length: 10 }, () => anna.send('GET', url)))
  const ids = new Set(lists.flatMap(({ body }) => body.map(({ id }: Provider) => id)))
  expect(ids.size).toBe(1)
  expect(lists[0]?.body).toMatchObject([
    { ownerId: anna.userId, isDefault: true, enabled: true, stage: 'DEV', miniAppLinkId: null },
  ])
  expect(await ensureGenericProvider(server.context, anna.actor)).toBe([...ids][0])
})

it('an organisation is listed after the generic provider, only for its members', async () => {
  const [anna, boris] = [await tenant(server), await tenant(server)]
  const admin = await tenant(server, ['ADMIN'])
  // A person who has signed in here is known.
  await anna.send('GET', url)
  const { id } = await createProvider(server.context, admin.actor, {
    name: 'Tides & Co',
    ownerId: anna.userId,
  })
  const { body } = await anna.send('GET', url)
  expect(body).toMatchObject([{ isDefault: true }, { id, isDefault: false, ownerId: anna.userId }])
  const product = await anna.send('POST', '/api/developer/product', {
    providerId: id,
    translations: [{ localeCode: 'en-US', title: 'Tides' }],
  })
  expect(product.body.providerId).toBe(id)

  const one = `${url}?providerId=${id}`
  expect((await anna.send('GET', one)).body).toMatchObject([
    { id, translations: [{ name: 'Tides & Co' }, { name: 'Tides & Co' }] },
  ])
  expect((await admin.send('GET', one)).body).toMatchObject([
    { id, translations: [{ name: 'Tides & Co' }, { name: 'Tides & Co' }] },
  ])
  expect((await boris.send('GET', one)).body).toEqual([])
  expect((await boris.send('GET', url)).body).toHaveLength(1)
  expect((await anna.send('GET', `${url}?providerId=${randomUUID()}`)).body).toEqual([])
})

it('a developer creates providers up to the limit, even with concurrent calls', async () => {
  const [anna, boris] = [await tenant(server), await tenant(server)]
  const rights = async () => (await anna.send('GET', `${url}/rights`)).body
  expect(await rights()).toEqual({ create: null })
  const made = await anna.send('POST', url, { name: ' Tides ' })
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({
    ownerId: anna.userId,
    isDefault: false,
    mobyApiKey: null,
    translations: [{ name: 'Tides' }, { name: 'Tides' }],
  })
  const key = { name: 'Bench', scopes: ['device.read'] }
  expect((await anna.send('POST', `${url}/${made.body.id}/key`, key)).status).toBe(201)
  expect((await boris.send('POST', `${url}/${made.body.id}/key`, key)).status).toBe(404)

  const most = server.context.settings.providersOfDeveloper
  const tries = await Promise.all(
    Array.from({ length: 2 * most }, (_, index) => anna.send('POST', url, { name: `No ${index}` })),
  )
  expect(tries.filter(({ status }) => status === 201)).toHaveLength(most - 1)
  const refused = tries.filter(({ status }) => status !== 201)
  expect(new Set(refused.map(({ body }) => body.code))).toEqual(new Set(['limit_reached']))
  expect(await rights()).toEqual({ create: 'limit_reached' })
  expect((await anna.send('GET', url)).body).toHaveLength(1 + most)
  // Other people's providers do not count.
  expect((await boris.send('POST', url, { name: 'Harbour' })).status).toBe(201)
})

it('if only administrators create providers, a developer cannot', async () => {
  const anna = await tenant(server)
  const closed = {
    ...server.context,
    settings: { ...server.context.settings, providersOfDeveloper: 0 },
  }
  await expect(createOwnProvider(closed, anna.actor, { name: 'Tides' })).rejects.toMatchObject({
    code: 'forbidden',
  })
  expect((await anna.send('GET', url)).body).toHaveLength(1)
  expect(
    (await (await tenant(server, ['CUSTOMER'])).send('POST', url, { name: 'Tides' })).status,
  ).toBe(403)
})
