import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import { startCatalogue, tenant, type CatalogueServer, type Tenant } from '../testing/catalogue.ts'
import { processActor } from '../../../core/actor.ts'
import { endApiKeys, providerOfKey } from './provider-key.service.ts'

let server: CatalogueServer
let admin: Tenant
beforeAll(async () => {
  server = await startCatalogue()
  admin = await tenant(server, ['ADMIN'])
})
afterAll(() => server.close())

const newKey = () => randomBytes(32).toString('base64url')
const at = (id: string) => `/api/admin/provider/${id}`
const put = (id: string, mobyApiKey: string | null) => admin.send('PUT', at(id), { mobyApiKey })
const owner = (key: string) => providerOfKey(server.context, key)

async function organisation(): Promise<AdminProvider> {
  return (await admin.send('POST', '/api/cedar/provider', { name: 'Tides' })).body
}

test('every key ends when the platform’s secret changes, and the pages of providers say so', async () => {
  const { id } = await organisation()
  const key = newKey()
  await put(id, key)
  expect(await owner(key)).toBe(id)
  expect(await endApiKeys(server.context.db, processActor('keys reseal'))).toBeGreaterThan(0)
  expect(await owner(key)).toBeUndefined()
  const { body } = await admin.send('GET', `/api/cedar/provider?provider=${id}`)
  expect(body).toMatchObject({ apiKeys: [], mobyApiKey: null })
  const log = await admin.send('GET', `/api/developer/activity?providerId=${id}`)
  expect(log.body.items[0]).toMatchObject({ action: 'provider.key', actor: null })
})

test('a key works once it is set, and the previous one for another day', async () => {
  const { id, apiKeys, mobyApiKey } = await organisation()
  expect([apiKeys, mobyApiKey]).toEqual([[], null])
  const [first, second, third] = [newKey(), newKey(), newKey()]
  const one = (await put(id, first)).body as AdminProvider
  expect(one).toMatchObject({ mobyApiKey: `••••${first.slice(-4)}` })
  expect(one.apiKeys).toMatchObject([{ last4: first.slice(-4), endsAt: null }])
  expect(await owner(first)).toBe(id)

  const two = (await put(id, second)).body as AdminProvider
  const [inForce, before] = two.apiKeys
  expect(inForce).toMatchObject({ last4: second.slice(-4), endsAt: null })
  expect(before?.last4).toBe(first.slice(-4))
  const left = Date.parse(before?.endsAt ?? '') - Date.parse(inForce?.createdAt ?? '')
  expect(Math.round(left / 3_600_000)).toBe(24)
  expect([await owner(first), await owner(second)]).toEqual([id, id])

  // Two are valid at once, never three.
  expect((await put(id, third)).body.apiKeys).toHaveLength(2)
  expect([await owner(first), await owner(second), await owner(third)]).toEqual([undefined, id, id])
  await sql`update cedar.provider_key set ends_at = now() where ends_at is not null
    and provider_id = ${id}`.execute(server.context.db)
  expect(await owner(second)).toBeUndefined()
  const read = await admin.send('GET', `/api/cedar/provider?provider=${id}`)
  expect(read.body.apiKeys).toHaveLength(1)
})

test('one key is revoked at once, or all of them', async () => {
  const { id } = await organisation()
  const [first, second] = [newKey(), newKey()]
  await put(id, first)
  const { body } = await put(id, second)
  const old = (body as AdminProvider).apiKeys[1]?.id ?? ''
  const other = await organisation()
  expect((await admin.send('DELETE', `${at(other.id)}/key/${old}`)).status).toBe(404)
  const revoked = await admin.send('DELETE', `${at(id)}/key/${old}`)
  expect(revoked.body.apiKeys).toHaveLength(1)
  expect([await owner(first), await owner(second)]).toEqual([undefined, id])
  expect((await admin.send('DELETE', `${at(id)}/key/${old}`)).status).toBe(404)
  expect((await put(id, null)).body).toMatchObject({ apiKeys: [], mobyApiKey: null })
  expect(await owner(second)).toBeUndefined()
})

test('the key of a disabled or deleted provider does not work', async () => {
  const { id } = await organisation()
  const key = newKey()
  await put(id, key)
  await admin.send('PUT', at(id), { enabled: false })
  expect(await owner(key)).toBeUndefined()
  await admin.send('PUT', at(id), { enabled: true })
  expect(await owner(key)).toBe(id)
  await admin.send('DELETE', `/api/cedar/provider?provider=${id}`)
  expect(await owner(key)).toBeUndefined()
})

test('a key that can be guessed, or that another provider has, is refused and changes nothing', async () => {
  const [one, other] = [await organisation(), await organisation()]
  const key = newKey()
  await put(one.id, key)
  for (const weak of ['short', 'a'.repeat(40), 'ab'.repeat(20), `${newKey()} `, 'ключ'.repeat(9)])
    expect((await put(one.id, weak)).body).toMatchObject({
      status: 400,
      errors: [{ path: 'mobyApiKey' }],
    })
  for (const { id } of [one, other]) {
    const taken = await put(id, key)
    expect(taken.body).toMatchObject({ code: 'already_exists', errors: [{ path: 'mobyApiKey' }] })
  }
  expect(await owner(key)).toBe(one.id)
  const read = await admin.send('GET', `/api/cedar/provider?provider=${one.id}`)
  expect(read.body.apiKeys).toMatchObject([{ endsAt: null }])
})

/** Every line that the server logs from now on. */
function captureLog(): string[] {
  const lines: string[] = []
  const logger = Object(server.app.log) as Record<symbol, { write: (line: string) => void }>
  const stream = Object.getOwnPropertySymbols(logger).find((name) => /stream/.test(String(name)))
  vi.spyOn(logger[stream ?? Symbol('none')] ?? { write: () => {} }, 'write').mockImplementation(
    (line) => void lines.push(line),
  )
  server.app.log.level = 'trace'
  return lines
}

test('only its creator ever sees a key: no answer, row, event or log line contains it', async () => {
  const lines = captureLog()
  const { id } = await organisation()
  const [first, second] = [newKey(), newKey()]
  const answers = [await put(id, first), await put(id, second), await put(id, `${second}\n`)]
  answers.push(await admin.send('GET', '/api/provider'))
  answers.push(await admin.send('GET', `/api/developer/activity?providerId=${id}`))
  answers.push(await admin.send('GET', `/api/cedar/provider?provider=${id}`))
  server.app.log.level = 'silent'
  expect(lines.join('')).toContain(`/api/admin/provider/${id}`)
  const { rows } = await sql`select row_to_json(k) from cedar.provider_key k
    union all select row_to_json(e) from cedar.event e where e.subject = ${id}`.execute(
    server.context.db,
  )
  expect(rows.length).toBeGreaterThan(4)
  const everything = JSON.stringify([answers.map(({ body }) => body), rows, lines])
  for (const key of [first, second]) {
    expect(everything).not.toContain(key)
    expect(everything).toContain(key.slice(-4))
  }
})
