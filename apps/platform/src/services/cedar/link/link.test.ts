import { randomUUID } from 'node:crypto'
import { compactVerify, importJWK } from 'jose'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ProductLink } from '@grove/contract/cedar/link'
import { startCatalogue, tenant, type CatalogueServer, type Tenant } from '../testing/catalogue.ts'

let server: CatalogueServer
let now = Date.now()
beforeAll(async () => {
  server = await startCatalogue({ now: () => now })
})
afterAll(() => server.close())

/** Longer than the cache time of a link's view. */
const later = () => (now += 2000)

const origin = 'http://localhost:80'

async function open(path: string, headers: Record<string, string> = {}) {
  later()
  const response = await server.app.inject({ url: path, headers })
  const isJson = String(response.headers['content-type']).includes('json')
  return {
    status: response.statusCode,
    headers: response.headers,
    body: isJson ? response.json() : null,
    raw: response.rawPayload,
  }
}
const codeOf = async (path: string) => {
  const { status, body } = await open(path)
  return [status, body?.code]
}

/** A product with a live version and its link. */
async function linked(anna: Tenant) {
  const { productId, providerId } = await anna.product('Tides')
  const { productVersionId } = await anna.ready(productId)
  await enable(anna, productVersionId)
  const { body } = await anna.send('PUT', `/api/developer/product/${productId}/link`)
  return { productId, providerId, productVersionId, linkId: body.linkId as string }
}
const enable = (anna: Tenant, id: string, enabled = true) =>
  anna.send('PUT', `/api/developer/productVersion/${id}`, { enabled })
const share = (anna: Tenant, body: object) =>
  anna.send('POST', '/api/cedar/apps/miniapps/share', body, { host: 'localhost:80' })

describe('a link as a host app reads it', () => {
  it('answers the live version, and a package whose hash and signature can be checked', async () => {
    const anna = await tenant(server)
    const { linkId, productId, productVersionId } = await linked(anna)
    const { status, body, headers } = await open(`/api/${linkId}`)
    expect([status, headers['cache-control']]).toEqual([200, 'no-cache'])
    expect(body).toMatchObject({
      linkId,
      productId,
      productVersionId,
      target: '/',
      version: '1.0.0',
      isPinned: false,
      provider: null,
      iconUrl: null,
      translations: [{ localeCode: 'en-US', title: 'Clock' }, { localeCode: 'ru-RU' }],
    })
    for (const secret of [anna.userId, 'Tides', 'revision', 'report'])
      expect(JSON.stringify(body)).not.toContain(secret)

    const file = await open(body.package.url)
    expect([file.status, file.raw.length]).toEqual([200, body.package.bytes])
    expect(await sha256(file.raw)).toBe(body.package.sha256)
    expect(await open(`/api/${linkId}/package/${'0'.repeat(64)}`)).toMatchObject({ status: 404 })
    const known = { 'if-none-match': String(file.headers['etag']) }
    expect(await open(body.package.url, known)).toMatchObject({ status: 304 })

    const [jwk] = (await open('/.well-known/package-keys.json')).body.keys
    expect(Object.keys(jwk).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x'])
    const { payload, protectedHeader } = await compactVerify(
      body.package.signature,
      await importJWK(jwk, 'EdDSA'),
    )
    expect(protectedHeader).toMatchObject({ kid: jwk.kid, typ: 'grove-package' })
    expect(JSON.parse(Buffer.from(payload).toString())).toEqual({
      productId,
      productVersionId,
      version: '1.0.0',
      sha256: body.package.sha256,
      bytes: file.raw.length,
    })
  })

  it('is not sent again if unchanged, and follows the version that goes live', async () => {
    const anna = await tenant(server)
    const { linkId, productId } = await linked(anna)
    const etag = String((await open(`/api/${linkId}`)).headers['etag'])
    expect(await open(`/api/${linkId}`, { 'if-none-match': etag })).toMatchObject({ status: 304 })
    const { productVersionId } = await anna.ready(productId, '1.1.0')
    await enable(anna, productVersionId)
    const answer = await open(`/api/${linkId}`, { 'if-none-match': etag })
    expect(answer).toMatchObject({ status: 200, body: { version: '1.1.0' } })
  })

  it.each([
    ['six characters', 'Ab3dEf'],
    ['eight characters', 'Ab3dEfgh'],
    ['a reserved word', 'storage'],
    ['a reserved word in capitals', 'STORAGE'],
    ['a reserved word in mixed case', 'oPenApi'],
    ['letters of another script', encodeURIComponent('Ав3дЕфг')],
    ['full-width letters', encodeURIComponent('Ａｂ３ｄＥｆｇ')],
    ['an emoji', encodeURIComponent('👩‍👩‍👧')],
    ['SQL', encodeURIComponent("'; drop")],
    ['a path', '..%2f..%2f.'],
    ['an id that never was', 'Zz9Zz9Z'],
  ])('does not exist: %s', async (_what, id) => {
    expect(await codeOf(`/api/${id}`)).toEqual([404, 'not_found'])
  })

  it('is another one if a letter’s case differs', async () => {
    const { linkId } = await linked(await tenant(server))
    const other = linkId === linkId.toLowerCase() ? linkId.toUpperCase() : linkId.toLowerCase()
    expect(await codeOf(`/api/${other}`)).toEqual([404, 'not_found'])
  })

  it('leaves every other call its path', async () => {
    expect((await open('/api/openapi.json')).body.openapi).toBeDefined()
    expect(await codeOf(`/api/storage/image/${'0'.repeat(64)}`)).toEqual([404, 'not_found'])
    expect(await codeOf('/api/provider')).toEqual([401, 'unauthorized'])
  })
})

describe('a link that opens nothing', () => {
  it('no longer exists after it was removed, and its id is never reused', async () => {
    const anna = await tenant(server)
    const { linkId, productId } = await linked(anna)
    expect((await open(`/api/${linkId}`)).status).toBe(200)
    await anna.send('DELETE', `/api/developer/product/${productId}/link`)
    expect(await codeOf(`/api/${linkId}`)).toEqual([410, 'link_removed'])
    const again = await anna.send('PUT', `/api/developer/product/${productId}/link`)
    expect(again.body.linkId).not.toBe(linkId)
    expect(await codeOf(`/api/${linkId}`)).toEqual([410, 'link_removed'])
    expect((await open(`/api/${again.body.linkId}`)).status).toBe(200)
  })

  it('is gone with its app', async () => {
    const anna = await tenant(server)
    const { linkId, productId, productVersionId } = await linked(anna)
    await enable(anna, productVersionId, false)
    expect(await codeOf(`/api/${linkId}`)).toEqual([410, 'app_not_live'])
    expect((await anna.send('DELETE', `/api/developer/product/${productId}`)).status).toBe(204)
    expect(await codeOf(`/api/${linkId}`)).toEqual([410, 'link_removed'])
  })

  it('says that nothing is live, and works again with the next version', async () => {
    const anna = await tenant(server)
    const { linkId, productVersionId } = await linked(anna)
    await enable(anna, productVersionId, false)
    expect(await codeOf(`/api/${linkId}`)).toEqual([410, 'app_not_live'])
    await enable(anna, productVersionId)
    expect((await open(`/api/${linkId}`)).status).toBe(200)
  })

  it('says that its provider is disabled, and serves no package', async () => {
    const anna = await tenant(server)
    const { linkId, providerId } = await linked(anna)
    const { url } = (await open(`/api/${linkId}`)).body.package
    await sql`update cedar.provider set enabled = false where id = ${providerId}`.execute(
      server.platform.db,
    )
    expect(await codeOf(`/api/${linkId}`)).toEqual([410, 'provider_disabled'])
    expect(await codeOf(url)).toEqual([410, 'provider_disabled'])
  })
})

describe('a share', () => {
  it('of the live version is the product’s link, and returns it again', async () => {
    const anna = await tenant(server)
    const { linkId, productId, productVersionId } = await linked(anna)
    const { status, body } = await share(anna, { url: `${origin}/`, version_id: productVersionId })
    expect(status).toBe(200)
    expect(body).toEqual({
      linkId,
      url: `http://localhost/${linkId}`,
      productId,
      target: '/',
      version: null,
    })
    const again = await share(anna, { url: `${origin}/${linkId}`, version_id: productVersionId })
    expect(again.body).toEqual(body)
  })

  it('leads to a place in the app, and is one link for one place', async () => {
    const anna = await tenant(server)
    const { linkId, productId, productVersionId } = await linked(anna)
    const url = `${origin}/harbours/brest?day=2#noon`
    const made = await Promise.all(
      [1, 2, 3].map(() => share(anna, { url, version_id: productVersionId })),
    )
    const ids = new Set(made.map(({ body }) => body.linkId))
    expect([ids.size, ids.has(linkId)]).toEqual([1, false])
    const [id = ''] = ids
    expect((await open(`/api/${id}`)).body).toMatchObject({
      productId,
      target: '/harbours/brest?day=2#noon',
    })
    const { items } = (await anna.send('GET', `/api/developer/product/${productId}/link`)).body
    expect(items.map((item: ProductLink) => [item.linkId, item.target])).toEqual([
      [id, '/harbours/brest?day=2#noon'],
      [linkId, '/'],
    ])
    await anna.send('DELETE', `/api/developer/product/${productId}/link?linkId=${id}`)
    expect(await codeOf(`/api/${id}`)).toEqual([410, 'link_removed'])
    expect((await open(`/api/${linkId}`)).status).toBe(200)
  })

  it('that is pinned stays with its version while another is live', async () => {
    const anna = await tenant(server)
    const { linkId, productId, productVersionId } = await linked(anna)
    const pinned = await share(anna, { url: origin, version_id: productVersionId, pinned: true })
    expect(pinned.body.version).toEqual({ productVersionId, version: '1.0.0' })
    const next = await anna.ready(productId, '2.0.0')
    await enable(anna, next.productVersionId)
    expect((await open(`/api/${pinned.body.linkId}`)).body).toMatchObject({
      version: '1.0.0',
      isPinned: true,
    })
    expect((await open(`/api/${linkId}`)).body.version).toBe('2.0.0')
    await anna.send('DELETE', `/api/developer/productVersion/${productVersionId}`)
    expect(await codeOf(`/api/${pinned.body.linkId}`)).toEqual([410, 'link_removed'])
  })

  it('cannot be pinned to a version whose package may still change', async () => {
    const anna = await tenant(server)
    const { productId } = await linked(anna)
    const { productVersionId } = await anna.ready(productId, '2.0.0')
    const { status, body } = await share(anna, {
      url: origin,
      version_id: productVersionId,
      pinned: true,
    })
    expect([status, body.code]).toEqual([409, 'version_never_live'])
  })

  it.each([
    'http://localhost//evil.example',
    'http://localhost///evil.example/a',
    'http://localhost/.//evil.example',
    'http://localhost/a/..//evil.example',
    'http://localhost/%2e%2e//evil.example',
    'http://localhost/%2f%2fevil.example',
    'http://localhost/%2Fevil.example',
    'http://localhost/%252f%25252fevil.example',
    'http://localhost/%5c%5cevil.example',
    'http://localhost/%5Cevil.example',
    'http://localhost/%255cevil.example',
    'http://localhost/\t/evil.example',
    'http://localhost/\n//evil.example',
    'http://localhost/%09/evil.example',
    'http://localhost/a%0d%0ab',
    'http://localhost/a%00',
    'http://localhost/a/%252e%252e//evil.example',
    'http://localhost/%25%255cevil.example',
    'http://localhost//anna@evil.example/',
    'http://localhost//xn--e1awd7f.example',
    'http://localhost//пример.example',
    'http://localhost/ a',
  ])('leads to a path of the app, and to no other server: %j', async (url) => {
    const anna = await tenant(server)
    const { productVersionId } = await linked(anna)
    const { status, body } = await share(anna, { url, version_id: productVersionId })
    expect([status, body.code, body.errors?.[0]]).toMatchObject([
      400,
      'invalid_request',
      { path: 'body.url', code: 'place' },
    ])
  })

  it.each([
    '/a//b',
    '/search?next=//evil.example&q=a%20b',
    '/%D0%BF%D1%83%D1%82%D1%8C',
    '/100%25',
    '/a%2Fb#//c',
  ])('leads to any path of the app: %s', async (target) => {
    const anna = await tenant(server)
    const { productVersionId } = await linked(anna)
    const { body } = await share(anna, {
      url: `${origin}${target}`,
      version_id: productVersionId,
    })
    expect(body.target).toBe(target)
  })

  it('created before that rule opens the first page', async () => {
    const anna = await tenant(server)
    const { productVersionId } = await linked(anna)
    const made = await share(anna, { url: `${origin}/old`, version_id: productVersionId })
    await sql`update cedar.link set target = '//evil.example'
      where id = ${made.body.linkId}`.execute(server.platform.db)
    expect((await open(`/api/${made.body.linkId}`)).body.target).toBe('/')
  })

  it.each([
    'https://evil.example/',
    'http://localhost.evil.example/',
    'http://localhost@evil.example/',
    'http://anna:secret@localhost/',
    'http://localhost:8080/',
    'https://localhost/',
    '//localhost/',
    '/harbours',
    'http:\\\\localhost\\',
    'http://localhost\\@evil.example/',
    'javascript:alert(1)//localhost',
    'ftp://localhost/',
    ' http://localhost/',
    'http://[::1',
    `http://localhost/${'x'.repeat(600)}`,
  ])('leads only to this platform: %s', async (url) => {
    const anna = await tenant(server)
    const { productVersionId } = await linked(anna)
    const { status, body } = await share(anna, { url, version_id: productVersionId })
    expect([status, body.code, body.errors?.[0].path]).toEqual([400, 'invalid_request', 'body.url'])
  })

  it('stops at a hundred links of one app', async () => {
    const anna = await tenant(server)
    const { productId, productVersionId } = await linked(anna)
    await sql`insert into cedar.link (id, product_id, target)
      select substr(md5(${productId}::text || n), 1, 7), ${productId}, '/' || n
      from generate_series(1, 99) n`.execute(server.platform.db)
    const { status, body } = await share(anna, { url: `${origin}/x`, version_id: productVersionId })
    expect([status, body.code]).toEqual([409, 'limit_reached'])
  })
})

it('the links of an app are invisible to every other developer', async () => {
  const [anna, boris] = [await tenant(server), await tenant(server)]
  const { linkId, productId, productVersionId } = await linked(anna)
  const own = await linked(boris)
  const product = `/api/developer/product/${productId}`
  const calls = [
    await boris.send('GET', `${product}/link`),
    await boris.send('PUT', `${product}/link`),
    await boris.send('DELETE', `${product}/link?linkId=${linkId}`),
    // Another owner's link together with one's own product.
    await boris.send('DELETE', `/api/developer/product/${own.productId}/link?linkId=${linkId}`),
    await boris.send('GET', `${product}/opens`),
    await share(boris, { url: origin, version_id: productVersionId }),
    await share(boris, { url: origin, version_id: randomUUID() }),
  ]
  expect(calls.map(({ status, body }) => [status, body.code])).toEqual(
    calls.map(() => [404, 'not_found']),
  )
  expect((await open(`/api/${linkId}`)).status).toBe(200)
})

it('every link that is created or removed leaves an event', async () => {
  const anna = await tenant(server)
  const { linkId, productId, productVersionId } = await linked(anna)
  const shared = await share(anna, { url: `${origin}/a`, version_id: productVersionId })
  await anna.send('DELETE', `/api/developer/product/${productId}/link?linkId=${shared.body.linkId}`)
  await anna.send('DELETE', `/api/developer/product/${productId}/link`)
  const { rows } = await sql<{ action: string; linkId: string | null }>`
    select action, coalesce(after ->> 'linkId', before ->> 'linkId') as "linkId" from cedar.event
    where subject = ${productId} and action like 'product.%link%' or subject = ${productId}
      and action like '%share' order by id`.execute(server.platform.db)
  expect(rows.map((row) => [row.action, row.linkId])).toEqual([
    ['product.link', linkId],
    ['product.share', shared.body.linkId],
    ['product.unshare', shared.body.linkId],
    ['product.unlink', linkId],
  ])
})

const sha256 = async (bytes: Buffer) =>
  Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))).toString('hex')
