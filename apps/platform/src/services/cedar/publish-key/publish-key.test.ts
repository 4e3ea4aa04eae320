import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { NewPublishKey } from '@grove/contract/cedar/publish-key'
import { maxPublishKeys, publishKeyPrefix } from '@grove/contract/cedar/publish-key.rules'
import { buildZip } from '../package/testing/zip-builder.ts'
import { startCatalogue, tenant, type CatalogueServer, type Tenant } from '../testing/catalogue.ts'

const url = '/api/developer/publishKey'
let server: CatalogueServer
beforeAll(async () => {
  server = await startCatalogue()
})
afterAll(() => server.close())

interface Publisher {
  person: Tenant
  providerId: string
  productId: string
  made: NewPublishKey
  /** Calls with the key instead of an access token. */
  send: Tenant['send']
}

async function publisher(): Promise<Publisher> {
  const person = await tenant(server)
  const { providerId, productId } = await person.product()
  const { body: made } = await person.send('POST', url, { providerId, name: 'Build server' })
  const authorization = `Bearer ${made.key}`
  const send: Tenant['send'] = (method, path, body, headers) =>
    person.send(method, path, body, { ...headers, authorization })
  return { person, providerId, productId, made, send }
}

const eventsOf = async (subject: string) => {
  const { rows } = await sql<{ action: string; actor: string; provider_id: string; text: string }>`
    select action, actor, provider_id, e::text as text from cedar.event e
    where subject = ${subject} order by id`.execute(server.platform.db)
  return rows
}

test('a key is shown once, and only its hash is stored', async () => {
  const { person, providerId, made } = await publisher()
  const { key, ...facts } = made
  expect(key).toMatch(new RegExp(`^${publishKeyPrefix}[\\w-]{43}$`))
  expect(facts).toMatchObject({
    name: 'Build server',
    providerId,
    ending: key.slice(-4),
    createdBy: person.userId,
    lastUsedAt: null,
  })
  const year = 365 * 24 * 3600_000
  expect(Date.parse(facts.expiresAt ?? '') - Date.parse(facts.createdAt)).toBe(year)
  expect((await person.send('GET', url)).body.items).toEqual([facts])
  const { rows } = await sql<{ text: string }>`
    select k::text as text from cedar.publish_key k where id = ${facts.id}`.execute(
    server.platform.db,
  )
  const events = await eventsOf(facts.id)
  expect(events).toMatchObject([{ action: 'publishKey.create', provider_id: providerId }])
  for (const { text } of [...rows, ...events]) expect(text).not.toContain(key.slice(0, -4))
})

test('a key publishes a version, and the events name it', async () => {
  const { person, productId, made, send } = await publisher()
  const version = { productId, version: '1.0.0' }
  const { status, body: created } = await send('POST', '/api/developer/productVersion', version)
  expect(status).toBe(201)
  const id = created.productVersionId
  const boundary = 'a-part'
  const head = [
    `--${boundary}\r\ncontent-disposition: form-data; name="productVersionId"\r\n\r\n${id}\r\n`,
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="app.zip"\r\n`,
    'content-type: application/zip\r\n\r\n',
  ].join('')
  const zip = buildZip([{ name: 'index.html', data: '<h1>Hi</h1>' }])
  const payload = Buffer.concat([Buffer.from(head), zip, Buffer.from(`\r\n--${boundary}--\r\n`)])
  const uploaded = await send('POST', '/api/storage/productVersion/miniApp', payload, {
    'content-type': `multipart/form-data; boundary=${boundary}`,
  })
  expect(uploaded.body.package).toMatchObject({ files: 1 })
  const path = `/api/developer/productVersion/${id}`
  expect((await send('PUT', path, { enabled: true })).body).toMatchObject({ state: 'live' })
  expect((await eventsOf(id)).map(({ actor }) => actor)).toEqual(
    Array.from({ length: 3 }, () => `key:${made.id}`),
  )
  const [{ lastUsedAt } = { lastUsedAt: null }] = (await person.send('GET', url)).body.items
  expect(lastUsedAt).not.toBeNull()
})

test('a key can do nothing else, and nothing to other providers', async () => {
  const [anna, boris] = [await publisher(), await publisher()]
  for (const [method, path] of [
    ['GET', '/api/provider'],
    ['GET', '/api/developer/product'],
    ['POST', url],
    ['GET', url],
    ['DELETE', `/api/developer/product/${anna.productId}`],
    ['GET', '/api/user/info'],
    ['GET', '/api/cedar/job'],
  ] as const) {
    const { status, body } = await anna.send(method, path, method === 'POST' ? {} : undefined)
    expect([path, status, body.code]).toEqual([
      path,
      ...(path === '/api/user/info' ? [401, 'unauthorized'] : [403, 'forbidden']),
    ])
  }
  const version = await boris.person.version(boris.productId)
  for (const [method, path, body] of [
    ['GET', `/api/developer/product/${boris.productId}`, undefined],
    ['GET', `/api/developer/productVersion?productId=${boris.productId}`, undefined],
    ['POST', '/api/developer/productVersion', { productId: boris.productId, version: '9.0.0' }],
    ['PUT', `/api/developer/productVersion/${version.productVersionId}`, { enabled: true }],
  ] as const)
    expect([path, (await anna.send(method, path, body)).status]).toEqual([path, 404])
})

test('a key ends when it is revoked, when it expires, and when its creator leaves', async () => {
  const use = ({ send, productId }: Publisher) => send('GET', `/api/developer/product/${productId}`)
  const revoked = await publisher()
  expect((await use(revoked)).status).toBe(200)
  expect((await revoked.person.send('DELETE', `${url}?id=${revoked.made.id}`)).status).toBe(204)
  const old = await publisher()
  await sql`update cedar.publish_key set expires_at = now() where id = ${old.made.id}`.execute(
    server.platform.db,
  )
  const left = await publisher()
  await sql`delete from cedar.provider_user where user_id = ${left.person.userId}`.execute(
    server.platform.db,
  )
  for (const ended of [revoked, old, left])
    expect((await use(ended)).body).toMatchObject({ status: 401, code: 'unauthorized' })
  expect((await revoked.person.send('GET', url)).body.items).toEqual([])
  expect((await eventsOf(revoked.made.id)).at(-1)?.action).toBe('publishKey.revoke')
})

test('keys of others cannot be seen or revoked', async () => {
  const [anna, boris] = [await publisher(), await publisher()]
  const calls = [
    await anna.person.send('DELETE', `${url}?id=${boris.made.id}`),
    await anna.person.send('GET', `${url}?providerId=${boris.providerId}`),
    await anna.person.send('POST', url, { providerId: boris.providerId, name: 'Mine' }),
  ]
  expect(calls.map(({ status }) => status)).toEqual([404, 404, 404])
  const admin = await tenant(server, ['ADMIN'])
  const refused = await admin.send('POST', url, { providerId: boris.providerId, name: 'Mine' })
  expect(refused.body).toMatchObject({ status: 400, errors: [{ path: 'providerId' }] })
  expect((await admin.send('DELETE', `${url}?id=${boris.made.id}`)).status).toBe(204)
})

test('people are listed without the keys, and a key cannot be linked as a person', async () => {
  const { person, made, providerId } = await publisher()
  const admin = await tenant(server, ['ADMIN'])
  const { body } = await admin.send('GET', `/api/cedar/provider?provider=${providerId}`)
  expect(body.users).toEqual([{ userId: person.userId, isOwner: true, roles: [] }])
  const owner = { name: 'Company', stage: 'DEV' }
  const { body: company } = await admin.send('POST', '/api/cedar/provider', owner)
  const link = { provider: company.id, user: `key:${made.id}`, action: 'link' }
  expect((await admin.send('POST', '/api/cedar/user', link)).status).toBe(400)
})

test('a provider has a limited number of keys, even with concurrent calls', async () => {
  const { person, providerId } = await publisher()
  const answers = await Promise.all(
    Array.from({ length: maxPublishKeys + 3 }, (_, index) =>
      person.send('POST', url, { providerId, name: `Key ${index}`, expiresInDays: null }),
    ),
  )
  const refused = answers.filter(({ status }) => status !== 201)
  expect(refused.map(({ body }) => body.code)).toEqual(
    Array.from({ length: 4 }, () => 'limit_reached'),
  )
  const names: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const at: string = cursor === '' ? '' : `&cursor=${cursor}`
    const page = (await person.send('GET', `${url}?sort=name&order=asc&limit=20${at}`)).body
    names.push(...page.items.map(({ name }: { name: string }) => name))
    cursor = page.next
  }
  expect(names).toHaveLength(maxPublishKeys)
  expect(new Set(names).size).toBe(maxPublishKeys)
})
