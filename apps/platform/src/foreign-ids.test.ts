import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { calls, type Call } from '@grove/contract'
import { exampleOf, requiredQueryOf } from './core/testing/example.ts'
import { startTestServer, type TestServer } from './core/testing/test-platform.ts'
import { maple } from './services/maple/index.ts'
import { planWith } from './services/maple/rollout/testing/rollout-client.ts'

/** What somebody learns from the ids of another service provider's objects: as much as from none. */

let server: TestServer
let acme: Provider
let umbra: Provider

type Headers = { authorization: string }
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
interface Provider {
  name: string
  headers: Headers
  /** Its objects by the call that made each. */
  ids: Map<string, string>
  cplc: string
}

const scoped = Object.entries<Call>(calls).filter(
  ([, { service, access }]) =>
    service === 'maple' && typeof access === 'object' && access.isScoped === true,
)

beforeAll(async () => {
  server = await startTestServer([maple])
  acme = await provider('acme', '4790D321470081320071')
  umbra = await provider('umbra', '4790D321470081320072')
})
afterAll(() => server.close())

async function send(method: Method, url: string, headers: Headers, payload?: object) {
  const answer = await server.app.inject({
    method,
    url,
    headers: { ...headers },
    ...(payload && { payload }),
  })
  return { status: answer.statusCode, text: answer.body }
}

/** A service provider with one object of every kind that an example of the contract makes. */
async function provider(name: string, start: string): Promise<Provider> {
  const admin = await server.bearer(['ADMIN'])
  await send('POST', '/api/maple/service', admin, { id: name, name })
  const userId = randomUUID()
  const account = { id: userId, roles: ['admin'], serviceId: name }
  await send('POST', '/api/maple/account', admin, account)
  const of: Provider = {
    name,
    headers: await server.bearer(['DEVELOPER'], userId),
    ids: new Map(),
    cplc: start.padEnd(84, '0'),
  }
  for (const [key, call] of scoped) {
    const [method, path = ''] = key.split(' ')
    if (method !== 'POST' || path.includes('{') || !call.body) continue
    const answer = await send('POST', path, of.headers, bodyOf(path, call.body, of))
    const { id } = parsed(answer.text)
    if (answer.status < 300 && typeof id === 'string') of.ids.set(path, id)
    // A rollout needs a program that can run.
    if (path === '/api/maple/scripts')
      await send('POST', `${path}/${String(id)}/publish`, of.headers, {})
  }
  return of
}

const parsed = (text: string) => {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>
  } catch {
    return {}
  }
}

const fieldsOf: Record<string, (of: Provider) => object> = {
  '/api/maple/device': ({ name, cplc }) => ({
    id: `watch-of-${name}`,
    name: `Watch of ${name}`,
    type: 'iot',
    cplc: [cplc],
  }),
  '/api/maple/account': ({ name }) => ({ id: randomUUID(), roles: ['viewer'], serviceId: name }),
  '/api/maple/software_cards': ({ name }) => ({ name: `Card of ${name}` }),
  '/api/maple/rollouts': ({ ids, name }) => ({
    name: `Rollout of ${name}`,
    program: { kind: 'script', id: ids.get('/api/maple/scripts'), input: {} },
    targets: { devices: [`watch-of-${name}`] },
    plan: planWith(),
  }),
  '/api/maple/products': ({ name }) => ({ name: `Product of ${name}`, model: name }),
  '/api/maple/se/keys': ({ cplc }) => ({
    cplc,
    version: 48,
    protocol: 'SCP03',
    keys: { enc: '40'.repeat(16), mac: '41'.repeat(16), dek: '42'.repeat(16) },
  }),
}

/** What the fields hold that name an object. */
const madeBy: Record<string, string> = {
  deviceId: '/api/maple/device',
  productId: '/api/maple/products',
  handlerId: '/api/maple/device_handlers',
  masterId: '/api/maple/se/masters',
}

function bodyOf(path: string, schema: object, of: Provider): object {
  const body = exampleOf(schema) as Record<string, unknown>
  for (const [name, made] of Object.entries(madeBy)) {
    const id = of.ids.get(made)
    if (name in body && id !== undefined) body[name] = id
    else if (made !== '/api/maple/device') delete body[name]
  }
  if (typeof body['cplc'] === 'string')
    body['cplc'] = path.startsWith('/api/maple/sessions')
      ? (of.ids.get('/api/maple/software_cards') ?? of.cplc)
      : of.cplc
  return fieldsOf[path]?.(of) ?? body
}

/** The call with the ids of a provider's objects; undefined for a call that names none. */
function requestOf([key, call]: [string, Call], of: Provider) {
  const [method, path] = key.split(' ') as [Method, string]
  const base = path.split('/{')[0] ?? ''
  const id = of.ids.get(base)
  const query = new URLSearchParams(requiredQueryOf(call.query))
  const names: string[] = []
  const name = (text: string | undefined) => {
    if (text !== undefined) names.push(text)
    return text ?? randomUUID()
  }
  for (const field of query.keys()) {
    const made = madeBy[field]
    if (field === 'id') query.set(field, name(id))
    else if (field === 'cplc') query.set(field, name(of.cplc))
    else if (made !== undefined) query.set(field, name(of.ids.get(made)))
  }
  let at = 0
  const url = path.replaceAll(/\{\w+\}/g, () => (at++ === 0 ? name(id) : '1'))
  const body = call.body && method !== 'GET' ? bodyOf(path, call.body, of) : undefined
  if (body && 'cplc' in body) names.push(of.cplc)
  if (body && 'deviceId' in body) names.push(of.ids.get('/api/maple/device') ?? '')
  if (names.length === 0) return undefined
  return { method, url: query.size > 0 ? `${url}?${query}` : url, body }
}

function neverLike(id: string): string {
  if (id.length === 36) return randomUUID()
  return id.length === 84 ? `${id.slice(0, -4)}ABCD` : `never-${id}`
}

/** Objects that nobody has, of the shapes of another provider's. */
const nobodys = ({ ids }: Provider): Provider => ({
  name: 'nobody',
  headers: acme.headers,
  ids: new Map([...ids].map(([path, id]) => [path, neverLike(id)])),
  cplc: '4790D321470081320079'.padEnd(84, '0'),
})

/** An answer without the ids that were asked for and its own. */
const sameIds = (text: string, of: Provider) =>
  [...of.ids.values(), of.cplc]
    .reduce((said, id) => said.replaceAll(id, '…'), text)
    .replace(/"requestId":"[^"]*"/, '')

test('every kind of object is there that an example makes', () => {
  for (const { ids } of [acme, umbra])
    expect([...ids.keys()]).toEqual(
      expect.arrayContaining([
        '/api/maple/account',
        '/api/maple/binary_images/keys',
        '/api/maple/cloud_handlers',
        '/api/maple/device',
        '/api/maple/device/claim_code',
        '/api/maple/device/credential',
        '/api/maple/device_handlers',
        '/api/maple/products',
        '/api/maple/reader',
        '/api/maple/rollouts',
        '/api/maple/scripts',
        '/api/maple/se/keys',
        '/api/maple/se/masters',
        '/api/maple/sessions/se',
        '/api/maple/software_cards',
        '/api/maple/templates',
      ]),
    )
})

test.each(scoped)('%s tells nothing of an object of another service provider', async (...call) => {
  const asked = requestOf(call, umbra)
  if (!asked) return
  const answer = await send(asked.method, asked.url, acme.headers, asked.body)
  const given = [asked.url, JSON.stringify(asked.body ?? '')].join()
  const learned = [...umbra.ids.values(), umbra.cplc].filter(
    (mark) => answer.text.includes(mark) && !given.includes(mark),
  )
  expect(learned).toEqual([])
  const nobody = nobodys(umbra)
  const never = requestOf(call, nobody)
  if (!never || asked.method === 'POST') return
  const { status, text } = await send(never.method, never.url, acme.headers, never.body)
  expect([answer.status, sameIds(answer.text, umbra)]).toEqual([status, sameIds(text, nobody)])
})
