import { sql } from 'kysely'
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import type { ApiKey, NewApiKey } from '@grove/contract/cedar/api-key'
import { maxApiKeys } from '@grove/contract/cedar/api-key.rules'
import { startCatalogue, tenant, type CatalogueServer, type Tenant } from '../testing/catalogue.ts'

let server: CatalogueServer
let admin: Tenant
beforeAll(async () => {
  server = await startCatalogue()
  admin = await tenant(server, ['ADMIN'])
})
afterAll(() => server.close())

/** An organisation with its owner. */
async function organisation() {
  const owner = await tenant(server)
  await owner.send('GET', '/api/provider')
  const body = { name: 'Tides', ownerId: owner.userId }
  const { id } = (await admin.send('POST', '/api/cedar/provider', body)).body as AdminProvider
  return { id, owner, url: `/api/provider/${id}/key` }
}

const draft = { name: 'Build server', scopes: ['device.read', 'session.run'] }
const make = async (by: Tenant, url: string, more: object = {}) =>
  (await by.send('POST', url, { ...draft, ...more })).body as NewApiKey
const list = async (by: Tenant, url: string) =>
  (await by.send('GET', url)).body.items as (ApiKey & { key?: string })[]

/** The status and the scopes that a program with the key receives. */
async function stageOf(key: string): Promise<[number, string[] | null]> {
  const headers = { authorization: `Bearer ${key}` }
  const answer = await server.app.inject({ url: '/api/provider/stage', headers })
  return [answer.statusCode, answer.json<{ scopes: string[] | null }>().scopes]
}

const statusesOf = async (...keys: string[]) =>
  Promise.all(keys.map(async (key) => (await stageOf(key))[0]))

const daysUntil = (moment: string | null) =>
  Math.round((Date.parse(moment ?? '') - Date.now()) / 86_400_000)

test('a member creates a key, sees it once, and it has its scopes until it is revoked', async () => {
  const { id, owner, url } = await organisation()
  expect(await list(owner, url)).toEqual([])
  const { key, ...made } = await make(owner, url)
  expect(key).toMatch(/^grove_api_[\w-]{43}$/)
  expect(made).toMatchObject({ ...draft, last4: key.slice(-4), createdBy: owner.userId })
  expect(daysUntil(made.endsAt)).toBe(90)
  expect(await list(owner, url)).toEqual([made])
  expect(await stageOf(key)).toEqual([200, draft.scopes])
  expect((await list(owner, url))[0]?.lastUsedAt).not.toBeNull()
  expect((await owner.send('GET', `/api/provider?providerId=${id}`)).body).toMatchObject([
    { mobyApiKey: `••••${made.last4}` },
  ])
  expect((await owner.send('DELETE', `${url}/${made.id}`)).status).toBe(204)
  expect((await stageOf(key))[0]).toBe(401)
  expect((await owner.send('DELETE', `${url}/${made.id}`)).status).toBe(404)
  const log = await owner.send('GET', `/api/developer/activity?providerId=${id}`)
  expect(log.body.items.map(({ action }: { action: string }) => action).slice(0, 2)).toEqual([
    'apiKey.revoke',
    'apiKey.create',
  ])
  // Nowhere in the database, including the events.
  const { rows } = await sql<{ text: string }>`
    select (select string_agg(to_jsonb(k)::text, '') from cedar.provider_key k)
      || (select string_agg(to_jsonb(e)::text, '') from cedar.event e) as text`.execute(
    server.context.db,
  )
  expect(rows[0]?.text ?? '').not.toContain(key)
})

test('while a key is being replaced two work, and the former one ends a day later', async () => {
  const { owner, url } = await organisation()
  const first = await make(owner, url, { expiresInDays: null })
  expect(first.endsAt).toBeNull()
  const second = await make(owner, url, { replaces: first.id })
  expect(await statusesOf(first.key, second.key)).toEqual([200, 200])
  const former = (await list(owner, url)).find(({ id }) => id === first.id)
  expect(daysUntil(former?.endsAt ?? null)).toBe(1)
  await sql`update cedar.provider_key set ends_at = now() where id = ${first.id}`.execute(
    server.context.db,
  )
  expect(await statusesOf(first.key, second.key)).toEqual([401, 200])
  expect((await list(owner, url)).map(({ id }) => id)).toEqual([second.id])
  const gone = await owner.send('POST', url, { ...draft, replaces: first.id })
  expect(gone.status).toBe(404)
})

test('a key chosen by an admin has every scope and no end, and leaves the others unchanged', async () => {
  const { id, owner, url } = await organisation()
  const made = await make(owner, url)
  const chosen = randomBytes(32).toString('base64url')
  const put = (mobyApiKey: string | null) =>
    admin.send('PUT', `/api/admin/provider/${id}`, { mobyApiKey })
  const { body } = await put(chosen)
  expect((body as AdminProvider).apiKeys).toMatchObject([
    { name: null, endsAt: null },
    { name: draft.name },
  ])
  expect(await stageOf(chosen)).toEqual([200, null])
  expect(await stageOf(made.key)).toEqual([200, draft.scopes])
  expect(daysUntil((await list(owner, url))[1]?.endsAt ?? null)).toBe(90)
  await put(null)
  expect(await statusesOf(chosen, made.key)).toEqual([401, 401])
})

test('a key ends with its provider and with its creator’s membership', async () => {
  const { id, owner, url } = await organisation()
  const member = await tenant(server)
  await member.send('GET', '/api/provider')
  const user = { provider: id, user: member.userId }
  await admin.send('POST', '/api/cedar/user', { ...user, action: 'link' })
  const { key } = await make(member, url)
  expect((await stageOf(key))[0]).toBe(200)
  await admin.send('PUT', `/api/admin/provider/${id}`, { enabled: false })
  expect((await stageOf(key))[0]).toBe(401)
  await admin.send('PUT', `/api/admin/provider/${id}`, { enabled: true })
  expect((await stageOf(key))[0]).toBe(200)
  await admin.send('POST', '/api/cedar/user', { ...user, action: 'unlink' })
  expect((await stageOf(key))[0]).toBe(401)
  expect(await list(owner, url)).toEqual([])
})

test('only a provider’s people learn about its keys or create one', async () => {
  const { owner, url } = await organisation()
  const { id } = await make(owner, url)
  const stranger = await tenant(server)
  const other = await organisation()
  const missing = `/api/provider/${randomUUID()}/key`
  for (const at of [url, missing]) {
    expect((await stranger.send('GET', at)).status).toBe(404)
    expect((await stranger.send('POST', at, draft)).status).toBe(404)
    expect((await stranger.send('DELETE', `${at}/${id}`)).status).toBe(404)
  }
  expect((await other.owner.send('DELETE', `${other.url}/${id}`)).status).toBe(404)
  const replacing = await other.owner.send('POST', other.url, { ...draft, replaces: id })
  expect(replacing.status).toBe(404)
  // An admin sees and revokes them, and sets a key with another call.
  expect(await list(admin, url)).toHaveLength(1)
  expect((await admin.send('POST', url, draft)).status).toBe(404)
  expect((await admin.send('DELETE', `${url}/${id}`)).status).toBe(204)
})

test('a generic provider has no keys, and each provider only a limited number', async () => {
  const { owner, url } = await organisation()
  const [generic] = (await owner.send('GET', '/api/provider')).body
  const refused = await owner.send('POST', `/api/provider/${generic.id}/key`, draft)
  expect([refused.status, refused.body.code]).toEqual([409, 'provider_is_personal'])
  const made = await Promise.all(
    Array.from({ length: maxApiKeys + 3 }, () => owner.send('POST', url, draft)),
  )
  expect(made.filter(({ status }) => status === 201)).toHaveLength(maxApiKeys)
  expect(made.find(({ status }) => status !== 201)?.body.code).toBe('limit_reached')
})

test.each([
  ['name', { name: '' }],
  ['scopes', { scopes: [] }],
  ['scopes.0', { scopes: ['account.change'] }],
  ['expiresInDays', { expiresInDays: 0 }],
])('a wrong %s is refused and named: %j', async (path, wrong) => {
  const { owner, url } = await organisation()
  const { status, body } = await owner.send('POST', url, { ...draft, ...wrong })
  expect([status, body.errors?.[0]?.path]).toEqual([400, path])
})
