import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '@grove/contract/calls'
import type { Call } from '@grove/contract/call'
import { exampleOf, requiredQueryOf } from './core/testing/example.ts'
import { startTestServer, type TestServer } from './core/testing/test-platform.ts'
import {
  miniApp,
  startCatalogue,
  tenant,
  type CatalogueServer,
  type Tenant,
} from './services/cedar/testing/catalogue.ts'
import { capFile, createAppletClient } from './services/maple/card/applet/testing/applet-client.ts'
import { createImageClient } from './services/maple/connect/binary-image/testing/image-client.ts'
import { signedImage } from './services/maple/connect/binary-image/testing/signed-image.ts'
import { createImportClient } from './services/maple/fleet/device-import/testing/import-client.ts'
import { maple } from './services/maple/index.ts'
import { planWith } from './services/maple/rollout/testing/rollout-client.ts'

/** What anyone learns from the IDs of another service provider's objects: as much as from unknown IDs. */

let server: TestServer
let acme: Provider
let umbra: Provider

type Headers = { authorization: string }
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
interface Provider {
  name: string
  headers: Headers
  /** Its objects by the call that created each. */
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

/** A service provider with one object of every kind that an example of the contract creates. */
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
  await addFiles(of)
  return of
}

/** What is uploaded as a file, with a unique name. */
async function addFiles({ name, headers, ids }: Provider) {
  const file = `file-of-${name}`
  const keep = (path: string, { id }: { id?: unknown }) => {
    if (typeof id !== 'string') throw new Error(`${path} took no file.`)
    ids.set(path, id)
  }
  const images = createImageClient(server, headers)
  const firmware = signedImage({ program: randomBytes(64) })
  const image = await images.upload(firmware, `${file}.bin`)
  keep('/api/maple/binary_images', image.body)
  const applet = await createAppletClient(server, headers).upload(
    capFile({ name: `example.${name}` }),
    `${file}.cap`,
  )
  keep('/api/maple/applets', applet.json())
  const rows = `id,name,Floor of ${name}\n${file},${file},1\n`
  const fleet = await createImportClient(server, headers).upload(rows, `${file}.csv`)
  keep(importPath, fleet.json())
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
  '/api/maple/group': ({ name }) => ({ name: `Group of ${name}` }),
  '/api/maple/products': ({ name }) => ({ name: `Product of ${name}`, model: name }),
  '/api/maple/se/keys': ({ cplc }) => ({
    cplc,
    version: 48,
    protocol: 'SCP03',
    keys: { enc: '40'.repeat(16), mac: '41'.repeat(16), dek: '42'.repeat(16) },
  }),
}

/** The contents of the fields that name an object. */
const madeBy: Record<string, string> = {
  deviceId: '/api/maple/device',
  groupId: '/api/maple/group',
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

const importPath = '/api/maple/device/import'

/** The call with the IDs of a provider's objects; undefined for a call that names none. */
function requestOf([key, call]: [string, Call], of: Provider) {
  const [method, path] = key.split(' ') as [Method, string]
  const isOfImport = path.startsWith(`${importPath}/`)
  const base = isOfImport ? importPath : (path.split('/{')[0] ?? '')
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
  if (body && isOfImport) Object.assign(body, { id: name(id) })
  if (body && 'cplc' in body) names.push(of.cplc)
  if (body && 'deviceId' in body) names.push(of.ids.get('/api/maple/device') ?? '')
  if (names.length === 0) return undefined
  return { method, url: query.size > 0 ? `${url}?${query}` : url, body }
}

function neverLike(id: string): string {
  if (id.length === 36) return randomUUID()
  return id.length === 84 ? `${id.slice(0, -4)}ABCD` : `never-${id}`
}

/** IDs that do not exist, in the same formats as another provider's. */
const nobodys = ({ ids }: Provider): Provider => ({
  name: 'nobody',
  headers: acme.headers,
  ids: new Map([...ids].map(([path, id]) => [path, neverLike(id)])),
  cplc: '4790D321470081320079'.padEnd(84, '0'),
})

/** A response without the IDs that were requested and its own. */
const sameIds = (text: string, of: Provider) =>
  [...of.ids.values(), of.cplc]
    .reduce((said, id) => said.replaceAll(id, '…'), text)
    .replace(/"requestId":"[^"]*"/, '')

test('the example creates every kind of object', () => {
  for (const { ids } of [acme, umbra])
    expect([...ids.keys()]).toEqual(
      expect.arrayContaining([
        '/api/maple/account',
        '/api/maple/applets',
        '/api/maple/binary_images',
        '/api/maple/binary_images/keys',
        '/api/maple/cloud_handlers',
        '/api/maple/device',
        '/api/maple/device/claim_code',
        '/api/maple/device/credential',
        '/api/maple/device/import',
        '/api/maple/device_handlers',
        '/api/maple/group',
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

test.each(scoped)(
  '%s reveals nothing about an object of another service provider',
  async (...call) => {
    const asked = requestOf(call, umbra)
    if (!asked) return
    const answer = await send(asked.method, asked.url, acme.headers, asked.body)
    const given = [asked.url, JSON.stringify(asked.body ?? '')].join()
    const learned = [...umbra.ids.values(), umbra.cplc, 'file-of-umbra', 'Floor of umbra'].filter(
      (mark) => answer.text.includes(mark) && !given.includes(mark),
    )
    expect(learned).toEqual([])
    const nobody = nobodys(umbra)
    const never = requestOf(call, nobody)
    // Of the POST calls, only those of imports start nothing with unknown IDs.
    if (!never || (asked.method === 'POST' && !asked.url.startsWith(importPath))) return
    const { status, text } = await send(never.method, never.url, acme.headers, never.body)
    expect([answer.status, sameIds(answer.text, umbra)]).toEqual([status, sameIds(text, nobody)])
  },
)

/** Packages belong to versions of apps, which one developer owns. */
describe('a package of another developer', () => {
  let catalogue: CatalogueServer
  let anna: Tenant
  let boris: Tenant
  let hers: Packed
  beforeAll(async () => {
    catalogue = await startCatalogue()
    ;[anna, boris] = [await tenant(catalogue), await tenant(catalogue)]
    const { productId } = await anna.product()
    const { productVersionId, package: file } = await anna.ready(productId)
    hers = { productId, productVersionId, sha256: file?.sha256 ?? '' }
  })
  afterAll(() => catalogue.close())

  interface Packed {
    productId: string
    productVersionId: string
    sha256: string
  }
  const nobodysPackage: Packed = {
    productId: randomUUID(),
    productVersionId: randomUUID(),
    sha256: 'ab'.repeat(32),
  }

  const propertiesOf = (schema: { properties?: object } = {}) => schema.properties ?? {}

  /** The call with these IDs; undefined for a call that names none of them. */
  function askFor([key, call]: [string, Call], ids: Packed) {
    const [method, path] = key.split(' ') as [Method, string]
    const named: Record<string, string> = { ...ids, with: ids.productVersionId }
    const url = path.replace('{id}', ids.productVersionId)
    const query = new URLSearchParams(requiredQueryOf(call.query))
    const known = Object.keys(propertiesOf(call.query))
    for (const [field, id] of Object.entries(named)) if (known.includes(field)) query.set(field, id)
    if (known.includes('path')) query.set('path', 'index.html')
    const body = call.body && (exampleOf(call.body) as Record<string, unknown>)
    for (const [field, id] of Object.entries(named)) if (body && field in body) body[field] = id
    const fields = call.form && (exampleOf(call.form) as Record<string, string>)
    if (fields && 'productVersionId' in fields) fields['productVersionId'] = ids.productVersionId
    const text = [url, query, JSON.stringify(body ?? fields ?? '')].join()
    const isNamed = text.includes(ids.productVersionId) || text.includes(ids.productId)
    return isNamed ? { method, url: `${url}?${query}`, body, fields } : undefined
  }

  async function answerTo(asked: NonNullable<ReturnType<typeof askFor>>, ids: Packed) {
    const { method, url, body, fields } = asked
    const parts = Object.entries(fields ?? {}).map(([name, value]) => ({ name, value }))
    const file = { name: 'file', fileName: 'clock.zip', data: miniApp() }
    const answer = fields
      ? await boris.upload(url, [...parts, file])
      : await boris.send(method, url, body)
    const text = JSON.stringify(answer.body).replace(/"requestId":"[^"]*"/, '')
    const shown = Object.values(ids).reduce((said, id) => said.replaceAll(id, '…'), text)
    return { status: answer.status, text: shown }
  }

  const ofVersions = Object.entries<Call>(calls).filter(
    ([key, { service }]) => service === 'cedar' && key.includes('productVersion'),
  )

  test.each(ofVersions)('does not exist for %s', async (...call) => {
    const asked = askFor(call, hers)
    const never = askFor(call, nobodysPackage)
    if (!asked || !never) return
    const answer = await answerTo(asked, hers)
    expect(answer).toEqual(await answerTo(never, nobodysPackage))
    expect(answer.text).not.toContain('index.html')
    expect(
      (await anna.send('GET', `/api/developer/productVersion/${hers.productVersionId}`)).body,
    ).toMatchObject({ package: { sha256: hers.sha256 } })
  })

  test('is named by most calls about versions', () => {
    expect(ofVersions.filter((call) => askFor(call, hers)).length).toBeGreaterThan(9)
  })
})
