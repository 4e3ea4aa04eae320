import { sql } from 'kysely'
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Problem } from '@grove/contract/shapes'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import type { SecureElementProfile } from '@grove/contract/maple/card/profile'
import { maxProfiles } from '@grove/contract/maple/fleet/element.rules'
import { resourceClient } from '../../../../core/testing/resource-client.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'

let server: TestServer
let profiles: ReturnType<typeof resourceClient<SecureElementProfile>>
let elements: ReturnType<typeof resourceClient<SecureElement & { id: string }>>
let devices: ReturnType<typeof resourceClient>
let admin: { authorization: string }
const adminId = randomUUID()
beforeAll(async () => {
  server = await startTestServer([maple])
  admin = await server.bearer(['ADMIN'], adminId)
  profiles = resourceClient(server, '/api/maple/se/profiles', admin)
  elements = resourceClient(server, '/api/maple/se/element', admin)
  devices = resourceClient(server, '/api/maple/device', admin)
})
beforeEach(async () => {
  await sql`truncate maple.element, maple.profile cascade`.execute(server.platform.db)
})
afterAll(() => server.close())

const platform = '47906B644700E4D80300'
const newCplc = (start = platform) =>
  start + randomBytes(42).toString('hex').toUpperCase().slice(start.length)
const create = (body: object = {}) =>
  profiles.create({ id: 'transit', name: 'Transit card', platform, ...body })
const assign = (cplc: string, profile_id: string | null, more: object = {}) =>
  profiles.send('PUT', {}, { cplc, profile_id }, more)
const profileOf = async (cplc: string) => (await elements.list({ cplc })).items[0]?.profile

test('a new profile is returned as it is listed afterwards', async () => {
  const profile = await create({ name: ' Transit  card ', platform: platform.toLowerCase() })
  expect(profile).toMatchObject({ id: 'transit', name: 'Transit card', platform, revision: 1 })
  expect((await profiles.list()).items).toEqual([profile])
  expect(await profiles.eventsOf('transit')).toMatchObject([
    { action: 'profile.create', actor: adminId, before: null, after: profile },
  ])
})

test('a profile is renamed, and elements show its new name at once', async () => {
  const profile = await create()
  const cplc = newCplc()
  await elements.create({ cplc })
  const rename = (name: string, ifMatch?: number) =>
    server.app.inject({
      method: 'PUT',
      url: '/api/maple/se/profiles/name?id=transit',
      payload: { name },
      headers: { ...admin, ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }) },
    })
  const renamed = await rename(' Metro  card ', 1)
  expect([renamed.statusCode, renamed.json()]).toEqual([
    200,
    { ...profile, name: 'Metro card', revision: 2, updatedAt: expect.any(String) },
  ])
  expect(await profileOf(cplc)).toMatchObject({ name: 'Metro card' })
  expect((await rename('Metro card')).json()).toMatchObject({ revision: 2 })
  expect((await rename('Bus card', 1)).json()).toMatchObject({ code: 'edit_conflict' })
  expect((await rename('  ')).statusCode).toBe(400)
  expect((await profiles.eventsOf('transit')).at(-1)).toMatchObject({
    action: 'profile.update',
    before: { name: 'Transit card' },
    after: { name: 'Metro card' },
  })
})

test('a rule applies immediately to every element of its platform, however it was created', async () => {
  const [registered, attached, other] = [newCplc(), newCplc(), newCplc('4790D321470010480300')]
  await elements.create({ cplc: registered })
  await devices.create({ name: 'Gate', type: 'iot', cplc: [attached] })
  await elements.create({ cplc: other })
  await create()
  const later = newCplc()
  await elements.create({ cplc: later })
  for (const cplc of [registered, attached, later])
    expect(await profileOf(cplc)).toEqual({
      id: 'transit',
      name: 'Transit card',
      isAssigned: false,
    })
  expect(await profileOf(other)).toBeNull()
  expect(await profiles.list()).toMatchObject({
    platforms: [platform, '4790D321470010480300'],
  })
})

test('a manually assigned profile takes precedence over the rule, until it is removed', async () => {
  await create()
  await create({ id: 'pay', name: 'Payment', platform: null })
  const cplc = newCplc()
  await elements.create({ cplc })
  const assigned = (await assign(cplc.toLowerCase(), 'pay')).json<SecureElement>()
  expect(assigned).toMatchObject({ profile: { id: 'pay', isAssigned: true }, revision: 2 })
  expect((await assign(cplc, 'pay')).json()).toEqual(assigned)
  expect((await assign(cplc, null)).json()).toMatchObject({
    profile: { id: 'transit', isAssigned: false },
    revision: 3,
  })
  expect((await elements.eventsOf(cplc)).slice(1)).toMatchObject([
    { action: 'element.profile', actor: adminId, after: { profile: { id: 'pay' } } },
    { action: 'element.profile', after: { profile: { id: 'transit' } } },
  ])
})

test('two admins who assign at once from one revision do not overwrite each other', async () => {
  await create()
  await create({ id: 'pay', platform: null })
  const cplc = newCplc()
  await elements.create({ cplc })
  const at = { 'if-match': '"1"' }
  const answers = await Promise.all([assign(cplc, 'pay', at), assign(cplc, 'transit', at)])
  expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 409])
})

test.each([
  [{ id: 'transit', platform: null }, 'id'],
  [{ id: 'other', platform: platform.toLowerCase() }, 'platform'],
])('a second profile with %o is refused', async (body, path) => {
  await create()
  const name = 'Other'
  expect(await profiles.refusal('POST', {}, { name, ...body })).toEqual([
    409,
    'already_exists',
    path,
  ])
})

test.each([
  ['id', { id: 'with space' }],
  ['name', { name: ' ' }],
  ['platform', { platform: '4790' }],
  ['platform', { platform: 'G'.repeat(20) }],
])('a wrong %s is named: %o', async (path, body) => {
  const given = { id: 'transit', name: 'Transit', platform, ...body }
  expect(await profiles.refusal('POST', {}, given)).toEqual([400, 'invalid_request', path])
})

test('the number of profiles is limited, even with concurrent calls', async () => {
  await sql`insert into maple.profile (id, name)
    select 'p' || n, 'P' from generate_series(1, ${maxProfiles - 1}::int) as n`.execute(
    server.platform.db,
  )
  const answers = await Promise.all(
    ['a', 'b', 'c'].map((id) => profiles.refusal('POST', {}, { id, name: 'P' })),
  )
  expect(answers.filter(([status]) => status !== 201)).toEqual([
    [409, 'limit_reached'],
    [409, 'limit_reached'],
  ])
})

test('a manually assigned profile cannot be deleted; one assigned only by its rule can', async () => {
  await create()
  const cplc = newCplc()
  await elements.create({ cplc })
  await assign(cplc, 'transit')
  const refused = await profiles.send('DELETE', { id: 'transit' })
  expect([refused.statusCode, refused.json<Problem>().code]).toEqual([409, 'profile_in_use'])
  expect(refused.json<Problem>().detail).toContain(cplc)
  await assign(cplc, null)
  const stale = { 'if-match': '"7"' }
  expect(await profiles.refusal('DELETE', { id: 'transit' }, undefined, stale)).toEqual([
    409,
    'edit_conflict',
  ])
  expect((await profiles.send('DELETE', { id: 'transit' })).statusCode).toBe(204)
  expect(await profileOf(cplc)).toBeNull()
  expect(await profiles.refusal('DELETE', { id: 'transit' })).toEqual([404, 'not_found'])
  expect((await profiles.eventsOf('transit')).at(-1)).toMatchObject({ action: 'profile.delete' })
})

test('a profile deleted while it is being assigned is in use, or gone', async () => {
  const cplc = newCplc()
  await elements.create({ cplc })
  for (let round = 0; round < 5; round++) {
    const id = `p${round}`
    await create({ id, platform: null })
    const [assigned, removed] = await Promise.all([
      assign(cplc, id),
      profiles.send('DELETE', { id }),
    ])
    expect([
      [200, 409],
      [404, 204],
    ]).toContainEqual([assigned.statusCode, removed.statusCode])
  }
})

test('an unknown element or profile is refused', async () => {
  const cplc = newCplc()
  expect((await assign(cplc, null)).json<Problem>().code).toBe('not_found')
  await elements.create({ cplc })
  const unknown = await assign(cplc, 'nobody')
  expect([unknown.statusCode, unknown.json<Problem>().errors?.[0]?.path]).toEqual([
    404,
    'profile_id',
  ])
  expect((await assign('4790', null)).json<Problem>().detail).toBe(
    'cplc has 4 hex digits; a CPLC has 84.',
  )
})
