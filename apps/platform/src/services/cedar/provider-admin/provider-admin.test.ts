import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { AdminProvider, ProviderListItem } from '@grove/contract/cedar/provider-admin'
import { startCatalogue, tenant, type CatalogueServer, type Tenant } from '../testing/catalogue.ts'

let server: CatalogueServer
let admin: Tenant
beforeAll(async () => {
  server = await startCatalogue()
  admin = await tenant(server, ['ADMIN'])
})
afterAll(() => server.close())

const list = '/api/admin/provider'
const one = '/api/cedar/provider'

async function organisation(owner: Tenant, name = 'Tides & Co'): Promise<AdminProvider> {
  await owner.send('GET', '/api/provider')
  const { status, body } = await admin.send('POST', one, { name, ownerId: owner.userId })
  expect(status).toBe(201)
  return body
}
const change = (id: string, body: object, headers?: Record<string, string>) =>
  admin.send('PUT', `${list}/${id}`, body, headers)
const user = (
  provider: string,
  { userId }: Pick<Tenant, 'userId'>,
  action: 'link' | 'unlink',
  more: object = {},
) => admin.send('POST', '/api/cedar/user', { provider, user: userId, action, ...more })
const titled = (title: string) => ({ translations: [{ localeCode: 'en-US', title }] })

it('an answer is written without a warning about its schema', async () => {
  const warn = vi.spyOn(console, 'warn')
  await organisation(admin)
  expect(warn).not.toHaveBeenCalled()
})

it('an admin creates a provider, its owner publishes under it, and developers see no list of providers', async () => {
  const anna = await tenant(server)
  const { id, users, use, limits, limitsInForce } = await organisation(anna)
  expect(users).toEqual([{ userId: anna.userId, isOwner: true, roles: [] }])
  expect(use).toEqual({ products: 0, liveProducts: 0, links: 0, storageBytes: 0 })
  expect(limits.products).toBeNull()
  expect(limitsInForce).toMatchObject({ products: 1000, versionsPerProduct: 1000, members: 100 })
  const made = await anna.send('POST', '/api/developer/product', { providerId: id, ...titled('A') })
  expect(made.status).toBe(201)
  expect((await anna.send('GET', list)).status).toBe(403)
})

it('members see their provider and its storage, but cannot change or delete anything', async () => {
  const [anna, boris, clara] = [await tenant(server), await tenant(server), await tenant(server)]
  const { id } = await organisation(anna)
  await boris.send('GET', '/api/provider')
  await user(id, boris, 'link')
  const ask = (as: Tenant, url: string) => as.send('GET', url)
  const urls = [`${one}?provider=${id}`, `/api/provider/${id}/storage`]
  for (const member of [anna, boris]) {
    const [seen, storage] = [await ask(member, urls[0] ?? ''), await ask(member, urls[1] ?? '')]
    expect(seen.body.rights).toEqual({ change: 'forbidden', delete: 'forbidden' })
    expect(seen.body.users).toHaveLength(2)
    expect(storage.body).toMatchObject({ used: 0, apps: [] })
    expect((await member.send('PUT', one, { provider: id, name: 'Mine' })).status).toBe(403)
    expect((await member.send('DELETE', `${one}?provider=${id}`)).status).toBe(403)
  }
  const { body } = await ask(admin, urls[0] ?? '')
  expect(body.rights).toEqual({ change: null, delete: null })
  for (const url of urls) expect((await ask(clara, url)).body.code).toBe('not_found')
  await user(id, boris, 'unlink')
  for (const url of urls) expect((await ask(boris, url)).body.code).toBe('not_found')
})

it('the list is filtered by stage, owner, kind and name, and can be paged completely', async () => {
  const anna = await tenant(server)
  await anna.send('GET', '/api/provider')
  const names = ['Zebra Books', 'Яблоко', 'Apple Pie']
  for (const name of names) await organisation(anna, name)
  const query = `${list}?ownerId=${anna.userId}`
  const namesOf = (items: ProviderListItem[]) =>
    items.map(({ translations }) => translations[0]?.name)
  const all = await admin.send('GET', `${query}&kind=organisation&sort=name&order=asc`)
  expect(namesOf(all.body.items)).toEqual(['Apple Pie', 'Zebra Books', 'Яблоко'])
  expect((await admin.send('GET', `${query}&kind=personal`)).body.items).toHaveLength(1)
  expect(namesOf((await admin.send('GET', `${query}&q=ЯБЛ`)).body.items)).toEqual(['Яблоко'])
  const [apple] = all.body.items
  expect((await admin.send('GET', `${list}?q=${apple.id}`)).body.items).toHaveLength(1)
  expect((await admin.send('GET', `${list}?providerId=${apple.id}`)).body.items).toHaveLength(1)

  await change(apple.id, { stage: 'PROD', enabled: false })
  expect(namesOf((await admin.send('GET', `${query}&stage=PROD`)).body.items)).toEqual([
    'Apple Pie',
  ])
  expect(
    (await admin.send('GET', `${query}&enabled=true&kind=organisation`)).body.items,
  ).toHaveLength(2)

  const seen: string[] = []
  let next: string | null = `${query}&limit=1&sort=name`
  while (next) {
    const { body } = await admin.send('GET', next)
    seen.push(...body.items.map(({ id }: ProviderListItem) => id))
    next = body.next && `${query}&limit=1&sort=name&cursor=${body.next}`
  }
  expect(new Set(seen).size).toBe(4)
})

it('a change keeps fields that it does not name, is recorded, and is refused at an older revision', async () => {
  const { id, revision } = await organisation(await tenant(server))
  const translations = [{ localeCode: 'en-US', name: '  Tide   Works ' }]
  const { body } = await change(id, { translations, limits: { products: 5 }, authProvider: 'acme' })
  expect(body).toMatchObject({
    translations: [{ localeCode: 'en-US', name: 'Tide Works' }],
    authProvider: 'acme',
    enabled: true,
    limits: { products: 5, members: null },
    limitsInForce: { products: 5, members: 100 },
  })
  const back = await change(id, { limits: { products: null } })
  expect(back.body).toMatchObject({ limitsInForce: { products: 1000 }, authProvider: 'acme' })
  const stale = await change(id, { enabled: false }, { 'if-match': `"${revision}"` })
  expect(stale.body.code).toBe('edit_conflict')

  const { rows } = await sql<{ action: string; actor: string }>`
    select action, actor from cedar.event where subject = ${id} order by id`.execute(
    server.context.db,
  )
  expect(rows.map(({ action }) => action)).toEqual([
    'provider.create',
    'provider.update',
    'provider.update',
  ])
  expect(new Set(rows.map(({ actor }) => actor))).toEqual(new Set([admin.userId]))
})

it('the name in every locale and the fares are set by name; a fare cannot end before it begins', async () => {
  const { id } = await organisation(await tenant(server))
  const fare = {
    id: randomUUID(),
    names: [{ localeCode: 'en-US', name: 'Starter' }],
    amountMinor: 4900,
    currency: 'EUR',
    period: 'month',
    validFrom: '2026-01-01',
    validTo: null,
  }
  const { body } = await admin.send('PUT', one, { provider: id, name: 'Harbour', fares: [fare] })
  expect(body).toMatchObject({
    translations: [
      { localeCode: 'en-US', name: 'Harbour' },
      { localeCode: 'ru-RU', name: 'Harbour' },
    ],
    fares: [fare],
  })
  const twice = { ...fare, names: [...fare.names, ...fare.names] }
  expect((await admin.send('PUT', one, { provider: id, fares: [twice] })).body).toMatchObject({
    status: 400,
    errors: [{ path: 'fares.0.names.1.localeCode' }],
  })
  const wrong = { ...fare, validTo: '2025-12-31' }
  const refused = await admin.send('PUT', one, { provider: id, fares: [wrong] })
  expect(refused.body).toMatchObject({ status: 400, errors: [{ path: 'fares.0.validTo' }] })
})

it('the apps of a disabled provider leave the catalogue until it is enabled again', async () => {
  const anna = await tenant(server)
  const { providerId, productId } = await anna.product('Vanishing')
  const { productVersionId } = await anna.ready(productId)
  await anna.send('PUT', `/api/developer/productVersion/${productVersionId}`, { enabled: true })
  const page = `/api/catalogue/product/${productId}`
  const seen = async () => (await anna.send('GET', page)).status
  expect(await seen()).toBe(200)
  const disabled = await change(providerId, { enabled: false })
  expect(disabled.body.use).toMatchObject({ products: 1, liveProducts: 1 })
  expect(await seen()).toBe(404)
  await change(providerId, { enabled: true })
  expect(await seen()).toBe(200)
})

it('a limit of the provider holds for apps, versions and files, and the refusal says who can raise it', async () => {
  const anna = await tenant(server)
  const { id } = await organisation(anna)
  await change(id, { limits: { products: 1, versionsPerProduct: 1, storageBytes: 1 } })
  const create = (title: string) =>
    anna.send('POST', '/api/developer/product', { providerId: id, ...titled(title) })
  const { body: product } = await create('One')
  const refused = await create('Two')
  expect(refused.body).toMatchObject({ code: 'limit_reached' })
  expect(refused.body.detail).toMatch(/1 of 1 apps.*administrator can raise/)

  await anna.version(product.productId)
  const read = await anna.send('GET', `/api/developer/product/${product.productId}`)
  expect(read.body).toMatchObject({ versionLimit: 1, rights: { createVersion: 'limit_reached' } })
  await change(id, { limits: { versionsPerProduct: 2 } })
  await expect(anna.ready(product.productId, '1.1.0')).rejects.toThrow('limit_reached')
  await change(id, { limits: { storageBytes: null } })
  const { body: versions } = await anna.send(
    'GET',
    `/api/developer/productVersion?productId=${product.productId}`,
  )
  expect(versions.items).toHaveLength(2)
})

it('users are linked, made owner and unlinked; the owner and a personal provider stay', async () => {
  const [anna, boris] = [await tenant(server), await tenant(server)]
  const { id } = await organisation(anna)
  const providersOf = async (who: Tenant) =>
    (await who.send('GET', '/api/provider')).body.map((provider: AdminProvider) => provider.id)
  // A user whose token was never seen cannot be verified, and counts as unknown.
  for (const stranger of [boris, { userId: 'no such human 123' }]) {
    const refused = await user(id, stranger, 'link')
    expect(refused.body.errors).toMatchObject([{ path: 'user', code: 'unknown_user' }])
  }
  await boris.send('GET', '/api/provider')
  const linked = await user(id, boris, 'link')
  // Repeating it changes nothing, not even the revision.
  const again = await user(id, boris, 'link')
  expect(again.body.users).toHaveLength(2)
  expect(again.body.revision).toBe(linked.body.revision)
  expect(await providersOf(boris)).toContain(id)

  expect((await user(id, anna, 'unlink')).body.code).toBe('owner_stays')
  const handed = await user(id, boris, 'link', { isOwner: true })
  expect(handed.body).toMatchObject({
    ownerId: boris.userId,
    users: [{ userId: boris.userId, isOwner: true }, { isOwner: false }],
  })
  expect((await user(id, anna, 'unlink')).body.users).toHaveLength(1)
  expect(await providersOf(anna)).not.toContain(id)

  await change(id, { limits: { members: 1 } })
  expect((await user(id, anna, 'link')).body.code).toBe('limit_reached')
  const [personal = ''] = await providersOf(anna)
  expect((await user(personal, boris, 'link')).body.code).toBe('provider_is_personal')
})

it('if the directory knows people, an email and an id mean the same person', async () => {
  const [anna, boris, closed] = [await tenant(server), await tenant(server), await tenant(server)]
  const { id } = await organisation(anna)
  const { db } = server.platform
  await sql`
    insert into platform.person (id, email, is_closed) values (${admin.userId}, null, false),
      (${boris.userId}, 'boris@grove.test', false), (${closed.userId}, 'closed@grove.test', true)
  `.execute(db)
  try {
    const link = (userId: string, action: 'link' | 'unlink' = 'link') =>
      user(id, { userId }, action)
    const codeOf = async (userId: string) => (await link(userId)).body.errors[0].code
    expect(await codeOf('nobody@grove.test')).toBe('unknown_user')
    expect(await codeOf(randomUUID())).toBe('unknown_user')
    for (const each of ['closed@grove.test', closed.userId])
      expect(await codeOf(each)).toBe('account_disabled')
    const linked = await link(' Boris@Grove.TEST ')
    expect(linked.body.users).toMatchObject([{ userId: anna.userId }, { userId: boris.userId }])
    const again = await link(boris.userId)
    expect([again.body.users.length, again.body.revision]).toEqual([2, linked.body.revision])
    expect((await link('boris@grove.test', 'unlink')).body.users).toHaveLength(1)
  } finally {
    await sql`delete from platform.person`.execute(db)
  }
})

it('a provider can be deleted once it has no apps; a personal one never', async () => {
  const anna = await tenant(server)
  const { id } = await organisation(anna)
  const made = await anna.send('POST', '/api/developer/product', { providerId: id, ...titled('A') })
  const remove = (provider: string) => admin.send('DELETE', `${one}?provider=${provider}`)
  expect((await remove(id)).body.code).toBe('provider_in_use')
  await anna.send('DELETE', `/api/developer/product/${made.body.productId}`)
  const read = await admin.send('GET', `${one}?provider=${id}`)
  expect(read.body.rights).toEqual({ change: null, delete: null })
  expect((await remove(id)).status).toBe(204)
  expect((await admin.send('GET', `${one}?provider=${id}`)).status).toBe(404)
  const { body } = await anna.send('GET', '/api/provider')
  expect((await remove(body[0].id)).body.code).toBe('provider_is_personal')
})
