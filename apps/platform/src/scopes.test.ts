import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { calls } from '@grove/contract/calls'
import type { Call } from '@grove/contract/call'
import type { Device } from '@grove/contract/maple/fleet/device'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { exampleOf, requiredQueryOf } from './core/testing/example.ts'
import { startTestServer, type TestServer } from './core/testing/test-platform.ts'
import { maple } from './services/maple/index.ts'

let server: TestServer
let admin: Headers
/** What each service provider owns, and an account of its own with every right. */
let acme: Provider
let umbra: Provider

type Headers = { authorization: string }
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
type Provider = Awaited<ReturnType<typeof provider>>

beforeAll(async () => {
  server = await startTestServer([maple])
  admin = await server.bearer(['ADMIN'])
  acme = await provider('acme', '4790D321470081320071')
  umbra = await provider('umbra', '4790D321470081320072')
})
afterAll(() => server.close())

async function ask(method: Method, url: string, headers: object, payload?: unknown) {
  const answer = await server.app.inject({
    method,
    url,
    headers: { ...headers },
    ...(payload !== undefined && { payload: payload as object }),
  })
  return { status: answer.statusCode, text: answer.body, body: parsed(answer.body) }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}

async function provider(id: string, start: string) {
  await ask('POST', '/api/maple/service', admin, { id, name: `Works of ${id}` })
  const userId = randomUUID()
  await ask('POST', '/api/maple/account', admin, { id: userId, roles: ['admin'], serviceId: id })
  const headers = await server.bearer(['DEVELOPER'], userId)
  const [inDevice, alone] = ['1', '2'].map((last) => (start + last).padEnd(84, '0'))
  const made = await ask('POST', '/api/maple/device', headers, {
    id: `${id}-watch`,
    name: `Watch of ${id}`,
    type: 'iot',
    cplc: [inDevice],
    tags: [`tag of ${id}`],
  })
  expect(made.status).toBe(201)
  expect((await ask('POST', '/api/maple/se/element', headers, { cplc: alone })).status).toBe(201)
  const { rows } = await sql<{ id: string }>`
    insert into maple.job (name, state, max_attempts, due_at, created_at, queued_at, scope)
    values ('device.bulk', 'completed', 1, now(), now(), now(), ${id}) returning id`.execute(
    server.platform.db,
  )
  const fleet = await sql<{ id: string }>`
    insert into maple.device_bulk (filter, change, service_id)
    values ('{}', '{"action":"accept"}', ${id}) returning id`.execute(server.platform.db)
  const file = { columns: ['id'], sample: [], format: 'csv', encoding: 'utf-8', delimiter: ',' }
  const imported = await sql<{ id: string }>`
    insert into maple.device_import (state, file_name, sha256, bytes, file, mapping, service_id)
    values ('checked', ${`${id}.csv`}, 'none', 1, ${JSON.stringify(file)}::jsonb, '[]', ${id})
    returning id`.execute(server.platform.db)
  const bulkId = fleet.rows[0]?.id ?? ''
  const importId = imported.rows[0]?.id ?? ''
  const cplcs = [inDevice ?? '', alone ?? '']
  return {
    bulkId,
    importId,
    id,
    userId,
    headers,
    device: `${id}-watch`,
    cplcs,
    jobId: rows[0]?.id ?? '',
  }
}

const scopedCalls = Object.entries<Call>(calls).filter(
  ([, { service, access }]) =>
    service === 'maple' && typeof access === 'object' && access.isScoped === true,
)

/** Anything that only the provider itself has. */
const marksOf = ({ id, userId, device, cplcs, jobId, bulkId, importId }: Provider) => [
  id,
  userId,
  device,
  ...cplcs,
  jobId,
  bulkId,
  importId,
]

/** A call with the IDs of a provider instead of the contract's examples. */
function requestOf([key, call]: [string, Call], of: Omit<Provider, 'headers'>) {
  const [method, path] = key.split(' ') as [Method, string]
  const id = idOf(path, of)
  const query = new URLSearchParams(requiredQueryOf(call.query))
  for (const name of query.keys()) {
    if (name === 'cplc') query.set(name, of.cplcs[0] ?? '')
    if (name === 'id') query.set(name, id)
  }
  const body = call.body ? (exampleOf(call.body) as Record<string, unknown>) : undefined
  if (body && 'cplc' in body && typeof body['cplc'] === 'string') body['cplc'] = of.cplcs[0]
  if (body && path.startsWith('/api/maple/device/import/')) body['id'] = of.importId
  const search = query.size > 0 ? `?${query}` : ''
  return { method, url: path.replaceAll(/\{\w+\}/g, id) + search, body }
}

const nobody = {
  id: 'nobody',
  userId: randomUUID(),
  headers: {},
  device: 'no-watch',
  cplcs: ['4790D321470081320079'.padEnd(84, '0')],
  jobId: randomUUID(),
  bulkId: randomUUID(),
  importId: randomUUID(),
}

/** A response without the IDs that were requested and its own. */
const sameIds = (
  text: string,
  of: Pick<Provider, 'id' | 'userId' | 'device' | 'cplcs' | 'jobId' | 'bulkId' | 'importId'>,
) =>
  [of.device, ...of.cplcs, of.userId, of.jobId, of.bulkId, of.importId, of.id]
    .reduce((said, mark) => said.replaceAll(mark, '…'), text)
    .replace(/"requestId":"[^"]*"/, '')

function idOf(path: string, of: Omit<Provider, 'headers'>): string {
  if (path.startsWith('/api/maple/device/view')) return randomUUID()
  if (path.startsWith('/api/maple/device/bulk')) return of.bulkId
  if (path.startsWith('/api/maple/device/import')) return of.importId
  if (path.startsWith('/api/maple/device')) return of.device
  if (path.startsWith('/api/maple/job')) return of.jobId
  if (path.startsWith('/api/maple/service')) return of.id
  if (path.startsWith('/api/maple/account/bulk')) return randomUUID()
  if (/^\/api\/maple\/(account|roles)/.test(path)) return of.userId
  return randomUUID()
}

test('every right of a scope is tested', () => {
  expect(scopedCalls.length).toBeGreaterThan(30)
})

test.each(scopedCalls)('%s reveals nothing about another service provider', async (...call) => {
  const { method, url, body } = requestOf(call, umbra)
  const answer = await ask(method, url, acme.headers, body)
  const asked = [url, JSON.stringify(body ?? '')].join()
  const learned = marksOf(umbra).filter(
    (mark) => answer.text.includes(mark) && !asked.includes(mark),
  )
  expect([url, answer.status, learned]).toEqual([url, answer.status, []])
  const names = marksOf(umbra).some((mark) => asked.includes(mark))
  // An object of another service provider is missing, like one that never existed.
  const isOfImport = url.startsWith('/api/maple/device/import/')
  if (names && (method !== 'POST' || isOfImport)) {
    const never = requestOf(call, nobody)
    const { status, text } = await ask(never.method, never.url, acme.headers, never.body)
    expect([answer.status, sameIds(answer.text, umbra)]).toEqual([status, sameIds(text, nobody)])
  }
  if (method === 'GET' && names) return
  for (const name of ['q', 'cplc', 'id', 'subject', 'serviceId'])
    for (const mark of marksOf(umbra)) {
      const properties = Object(call[1].query ?? {}).properties as object | undefined
      if (!properties || method !== 'GET' || !(name in properties)) continue
      const found = await ask('GET', `${url.split('?')[0]}?${name}=${mark}`, acme.headers)
      const { items, count } = found.body
      if (found.status === 200) expect([items ?? count, name]).toEqual([items ? [] : 0, name])
    }
})

test('the provider’s own objects are unchanged', async () => {
  for (const of of [acme, umbra]) {
    const devices = await ask('GET', '/api/maple/device', of.headers)
    const items = devices.body['items'] as Device[]
    expect(items.map(({ id, state, revision }) => [id, state, revision])).toEqual([
      [of.device, 'pending', 1],
    ])
    const elements = await ask('GET', '/api/maple/se/element', of.headers)
    expect((elements.body['items'] as SecureElement[]).map(({ cplc }) => cplc)).toEqual(of.cplcs)
    expect(elements.text).not.toContain((of === acme ? umbra : acme).id)
    const events = await ask('GET', '/api/maple/event', of.headers)
    const addresses = (events.body['items'] as { ip: string | null }[]).map(({ ip }) => ip)
    expect(new Set(addresses)).toEqual(new Set([null]))
  }
})

test('a device or an element of another provider cannot be taken over', async () => {
  const [inDevice = '', alone = ''] = umbra.cplcs
  const mine = `/api/maple/device?id=${acme.device}`
  for (const cplc of [inDevice, alone]) {
    const answer = await ask('PUT', mine, acme.headers, { cplc: [cplc] })
    expect([answer.status, answer.body['code']]).toEqual([409, 'element_attached_elsewhere'])
    expect(answer.text).not.toContain(umbra.device)
    const registered = await ask('POST', '/api/maple/se/element', acme.headers, { cplc })
    expect([registered.status, registered.body['code']]).toEqual([409, 'already_exists'])
  }
  for (const serviceId of ['umbra', 'no-such-provider', null]) {
    const moved = await ask('PUT', mine, acme.headers, { serviceId })
    const [field] = moved.body['errors'] as { path: string; code: string }[]
    expect([moved.status, field?.path, field?.code]).toEqual([400, 'serviceId', 'exists'])
  }
  const bound = { innerId: 'W-1', accountId: umbra.userId }
  expect((await ask('PUT', mine, acme.headers, bound)).status).toBe(400)
})

test('an element has the provider of its device, and keeps it after being detached', async () => {
  const [inDevice = ''] = umbra.cplcs
  const seen = async (headers: object) =>
    (
      (await ask('GET', `/api/maple/se/element?cplc=${inDevice}`, headers)).body[
        'items'
      ] as object[]
    ).length
  const at = `/api/maple/device?id=${umbra.device}`
  await ask('DELETE', `${at}&cplc=${inDevice}`, umbra.headers)
  expect([await seen(umbra.headers), await seen(acme.headers)]).toEqual([1, 0])
  await ask('PUT', at, admin, { cplc: [inDevice] })
  await ask('PUT', at, admin, { serviceId: 'acme' })
  expect([await seen(umbra.headers), await seen(acme.headers)]).toEqual([0, 1])
})
