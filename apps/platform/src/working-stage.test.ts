import { sql } from 'kysely'
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import type { MapleService } from '@grove/contract/maple/access/service'
import { stageHeader } from '@grove/contract/stage.rules'
import { startTestServer, type TestServer } from './core/testing/test-platform.ts'
import { cedar } from './services/cedar/index.ts'
import { maple } from './services/maple/index.ts'
import { stageCacheMs } from './services/maple/access/stage/cedar-client.ts'

let server: TestServer
let admin: Headers
/** Advances the platform's clock, so that its caches expire. */
let moved = 0
const now = () => Date.now() + moved
const forget = () => (moved += stageCacheMs)

type Headers = { authorization: string }

beforeAll(async () => {
  server = await startTestServer([cedar, maple], { now })
  admin = await server.bearer(['ADMIN'])
})
afterAll(() => server.close())

const newKey = () => `grove_api_${randomBytes(32).toString('base64url')}`

async function ask(method: 'GET' | 'POST' | 'PUT', url: string, headers: object, payload?: object) {
  const answer = await server.app.inject({
    method,
    url,
    headers: { ...headers },
    ...(payload && { payload }),
  })
  const { requestId: _, ...body } = answer.json<Record<string, unknown>>()
  return { status: answer.statusCode, body }
}

const change = (id: string, what: object) => ask('PUT', `/api/admin/provider/${id}`, admin, what)

/** An organisation with a key, and its owner, who requests its working stage. */
async function organisation(name = 'Tides') {
  const ownerId = randomUUID()
  const owner = await server.bearer(['DEVELOPER'], ownerId)
  // Cedar knows anyone who has sent a token.
  await ask('GET', '/api/provider', owner)
  const made = await ask('POST', '/api/cedar/provider', admin, { name, ownerId })
  const { id } = made.body as unknown as AdminProvider
  const key = newKey()
  await change(id, { mobyApiKey: key })
  return { id, key, ownerId, owner, headers: { ...owner, [stageHeader]: id } }
}

/** A notification, or the next poll for revocations. */
const revoked = { timeout: 10_000, interval: 20 }
const services = (headers: object) => ask('GET', '/api/maple/service', headers)
const refusal = {
  type: 'urn:grove:problem:forbidden',
  title: 'Not allowed',
  status: 403,
  detail: 'You do not have the right to do this.',
  code: 'forbidden',
}

test('a member works in their provider’s stage, which is created on first use', async () => {
  const { id, ownerId, headers, owner } = await organisation('Tides & Co')
  const { body } = await services(headers)
  expect(body['items']).toMatchObject([{ id, name: 'Tides & Co', state: 'active' }])
  expect((await services({ ...owner, [stageHeader]: id.toUpperCase() })).status).toBe(200)
  const { rows } = await sql<object>`
    select actor, action from maple.event where subject = ${id}`.execute(server.platform.db)
  expect(rows).toEqual([{ actor: ownerId, action: 'service.create' }])
  // Rights over people, or over every service provider, stay with administrators.
  expect((await ask('POST', '/api/maple/service', headers, { id: 'x', name: 'X' })).body).toEqual(
    refusal,
  )
  expect((await ask('GET', '/api/maple/account', headers)).body).toEqual(refusal)
})

test('many concurrent first requests create one service provider', async () => {
  const { id, headers } = await organisation()
  const answers = await Promise.all(Array.from({ length: 10 }, () => services(headers)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  const all = await ask('GET', `/api/maple/service?id=${id}`, admin)
  expect(all.body['items'] as MapleService[]).toHaveLength(1)
})

test('everyone without a stage in a provider gets the same answer', async () => {
  const { id, owner } = await organisation()
  const other = await organisation()
  const keyless = await organisation()
  await change(keyless.id, { mobyApiKey: null })
  const disabled = await organisation()
  await change(disabled.id, { enabled: false })
  const suspended = await organisation()
  await services(suspended.headers)
  await ask('PUT', `/api/maple/service?id=${suspended.id}`, admin, { state: 'suspended' })
  const mine = await ask('GET', '/api/provider', owner)
  const generic = (mine.body as unknown as { id: string; isDefault: boolean }[] & object)[0]
  const strangers: [who: string, headers: object][] = [
    ['no header', owner],
    ['another provider', { ...owner, [stageHeader]: other.id }],
    ['no provider', { ...owner, [stageHeader]: randomUUID() }],
    ['no id', { ...owner, [stageHeader]: '../admin' }],
    ['the generic provider', { ...owner, [stageHeader]: generic?.id }],
    ['no key', keyless.headers],
    ['disabled', disabled.headers],
    ['suspended', suspended.headers],
    ['not a developer', { ...(await server.bearer(['CUSTOMER'])), [stageHeader]: id }],
    ['anonymous', { ...(await server.bearer([])), [stageHeader]: id }],
    ['not a member', { ...(await server.bearer(['DEVELOPER'])), [stageHeader]: id }],
  ]
  for (const [who, headers] of strangers)
    expect([who, (await services(headers)).body]).toEqual([who, refusal])
})

test('a stage ends with the last key, the membership or the provider', async () => {
  const { id, ownerId, headers } = await organisation()
  const status = async () => (await services(headers)).status
  expect(await status()).toBe(200)
  await change(id, { mobyApiKey: null })
  await expect.poll(status, revoked).toBe(403)
  // A refusal is not cached.
  await change(id, { mobyApiKey: newKey() })
  expect(await status()).toBe(200)
  const successor = randomUUID()
  await ask('GET', '/api/provider', await server.bearer(['DEVELOPER'], successor))
  const give = { provider: id, user: successor, action: 'link', isOwner: true }
  await ask('POST', '/api/cedar/user', admin, give)
  await ask('POST', '/api/cedar/user', admin, { provider: id, user: ownerId, action: 'unlink' })
  await expect.poll(status, revoked).toBe(403)
})

test('a program enters only with a key, and only the stage of its own provider', async () => {
  const { id, key } = await organisation('Tides')
  const other = await organisation()
  const bearer = (of: string) => ({ authorization: `Bearer ${of}` })
  const { body } = await services(bearer(key))
  expect(body['items']).toMatchObject([{ id, name: 'Tides' }])
  expect((await services({ ...bearer(key), [stageHeader]: id })).status).toBe(200)
  expect((await services({ ...bearer(key), [stageHeader]: other.id })).body).toEqual(refusal)
  expect((await services(bearer(newKey()))).status).toBe(401)
  // It stands for nobody in the calls that publish.
  expect((await ask('GET', '/api/developer/product/' + randomUUID(), bearer(key))).status).toBe(403)
  // An administrator may have chosen it.
  const chosen = randomBytes(32).toString('base64')
  await change(id, { mobyApiKey: chosen })
  expect((await services(bearer(chosen))).status).toBe(200)
  await change(id, { mobyApiKey: null })
  forget()
  expect((await services(bearer(chosen))).status).toBe(401)
})

test('a key can do no more than its scopes', async () => {
  const { id, owner, headers } = await organisation()
  const made = await ask('POST', `/api/provider/${id}/key`, owner, {
    name: 'Dashboard',
    scopes: ['service.read'],
  })
  const limited = { authorization: `Bearer ${String(made.body['key'])}` }
  const activity = `/api/maple/service/activity?id=${id}`
  expect((await services(limited)).status).toBe(200)
  expect((await ask('GET', activity, limited)).status).toBe(200)
  expect((await ask('GET', '/api/maple/account', limited)).body).toEqual(refusal)
  expect((await ask('GET', activity, headers)).status).toBe(200)
})

test('an admin works in any stage with every right, and without one everywhere', async () => {
  const [{ id, headers }, other] = [await organisation(), await organisation()]
  await services(headers)
  await services(other.headers)
  const staged = { ...admin, [stageHeader]: id }
  expect((await services(staged)).body['items']).toMatchObject([{ id }])
  const ids = ((await services(admin)).body['items'] as MapleService[]).map((one) => one.id)
  expect(ids).toEqual(expect.arrayContaining([id, other.id]))
  expect((await ask('GET', '/api/maple/account', staged)).status).toBe(200)
  // A call that does not respect scopes does not belong to a stage.
  expect((await ask('POST', '/api/maple/service', staged, { id: 'y', name: 'Y' })).body).toEqual(
    refusal,
  )
  expect((await services({ ...admin, [stageHeader]: randomUUID() })).body).toEqual(refusal)
})

test('Maple asks a Cedar in another process, and says when it is unavailable @long', async () => {
  const { id, key, headers } = await organisation()
  const address = await server.app.listen({ host: '127.0.0.1', port: 0 })
  const { platform } = server
  const apart = (CEDAR_URL?: string) =>
    startTestServer([maple], { env: { CEDAR_URL }, apiVersions: platform.apiVersions })
  const [near, away, none] = [
    await apart(`${address}/`),
    await apart('http://127.0.0.1:9'),
    await apart(),
  ]
  const at = async ({ app }: TestServer, given: object) => {
    const answer = await app.inject({ url: '/api/maple/service', headers: { ...given } })
    return answer.json<{ items?: MapleService[]; code?: string; detail?: string }>()
  }
  expect((await at(near, headers)).items).toMatchObject([{ id }])
  expect((await at(near, { authorization: `Bearer ${key}` })).items).toMatchObject([{ id }])
  expect(await at(near, { ...headers, [stageHeader]: randomUUID() })).toMatchObject(refusal)
  for (const given of [headers, { authorization: `Bearer ${key}` }])
    expect(await at(away, given)).toMatchObject({
      code: 'stage_unavailable',
      detail: 'Cedar, which knows the working stages, is not responding. Try again shortly.',
    })
  expect((await at(none, headers)).detail).toContain('CEDAR_URL')
  for (const one of [near, away, none]) await one.close()
})
