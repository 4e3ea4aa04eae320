import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'
import type { MapleDb } from '../../base/tables.ts'

let server: TestServer
let db: MapleDb
let admin: { authorization: string }
beforeAll(async () => {
  server = await startTestServer([maple])
  db = server.platform.db
  admin = await server.bearer(['ADMIN'])
})
afterAll(() => server.close())

const ask = async (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  payload?: object,
  as: Record<string, string> = admin,
) => {
  const response = await server.app.inject({
    method,
    url: `/api/maple/device${path}`,
    headers: as,
    ...(payload && { payload }),
  })
  return { status: response.statusCode, body: response.body === '' ? null : response.json() }
}

const makeCode = async (more: object = {}) =>
  (await ask('POST', '/claim_code', { name: 'Batch 7', type: 'iot', ...more })).body as {
    id: string
    code: string
  }
const newSecret = () => randomBytes(32).toString('base64url')
const newCplc = () => randomBytes(42).toString('hex').toUpperCase()
const newId = () => `d-${randomUUID()}`
const claim = (code: string, id = newId(), secret = newSecret()) =>
  ask('POST', '/claim', { code, id, secret }, {})
const wrong = { status: 400, body: { code: 'wrong_pairing_code' } }

test('an unknown device is quarantined when it uses a code', async () => {
  const { code, id: codeId } = await makeCode()
  expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/)
  const id = newId()
  const secret = newSecret()
  expect(await claim(code.toLowerCase().replaceAll('-', ''), id, secret)).toMatchObject({
    status: 200,
    body: { id, state: 'quarantined' },
  })
  expect((await ask('GET', `?id=${id}`)).body.items).toMatchObject([
    { id, type: 'iot', state: 'quarantined' },
  ])
  expect(await claim(code)).toMatchObject(wrong)
  const { rows } = await sql<{ text: string }>`
    select (select jsonb_agg(code)::text from maple.claim_code as code)
      || (select jsonb_agg(credential)::text from maple.device_credential as credential)
      || (select jsonb_agg(event)::text from maple.event as event
        where subject in (${id}, ${codeId})) as text`.execute(db)
  expect(rows[0]?.text).toContain('device.claim')
  expect(rows[0]?.text).not.toContain(secret)
  expect(rows[0]?.text).not.toContain(code)
})

test('a device that got no answer asks again, and uses the code once', async () => {
  const { code } = await makeCode({ mostUses: 2 })
  const [id, secret] = [newId(), newSecret()]
  await claim(code, id, secret)
  expect(await claim(code, id, secret)).toMatchObject({ status: 200 })
  expect(await claim(code, id, newSecret())).toMatchObject({ body: { code: 'device_id_taken' } })
  expect(await claim(code)).toMatchObject({ status: 200 })
  // The code is used up, and the first device still gets its response.
  expect(await claim(code)).toMatchObject(wrong)
  expect(await claim(code, id, secret)).toMatchObject({ status: 200 })
})

test('concurrent devices do not use a code more often than it allows', async () => {
  const { code } = await makeCode({ mostUses: 3 })
  const answers = await Promise.all(Array.from({ length: 8 }, () => claim(code)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
})

test('a code of a trusted batch accepts devices, and a registered device keeps its state', async () => {
  const { code } = await makeCode({ state: 'accepted', mostUses: 10 })
  expect(await claim(code)).toMatchObject({ body: { state: 'accepted' } })
  const id = newId()
  await ask('POST', '', { id, name: 'Known', type: 'boot', state: 'pending' })
  expect(await claim(code, id)).toMatchObject({ body: { state: 'pending' } })
  expect((await ask('GET', `?id=${id}`)).body.items).toMatchObject([
    { name: 'Known', type: 'boot' },
  ])
})

test('a code admits no device that is retired, has a secret, or is of another service provider', async () => {
  const { code } = await makeCode({ mostUses: 10 })
  const [retired, secured, foreign] = [newId(), newId(), newId()]
  for (const id of [retired, secured, foreign])
    await ask('POST', '', { id, name: id, type: 'iot', state: 'accepted' })
  await ask('DELETE', `?id=${retired}`)
  await ask('POST', '/credential', { deviceId: secured })
  await sql`insert into maple.service (id, name, name_key) values ('f', 'f', 'f')`.execute(db)
  await sql`update maple.device set service_id = 'f' where id = ${foreign}`.execute(db)
  for (const id of [retired, secured, foreign])
    expect(await claim(code, id)).toMatchObject({ status: 409, body: { code: 'device_id_taken' } })
  const { rows } = await sql<{ uses: number }>`
    select uses from maple.claim_code where uses > 0 and most_uses = 10 and state = 'quarantined'`.execute(
    db,
  )
  expect(rows).toEqual([])
})

test('elements named in a claim become the device’s own, and nobody loses one by it', async () => {
  const elements = [newCplc(), newCplc()]
  const { code } = await makeCode({ mostUses: 10 })
  const claimWith = (named: readonly string[], id = newId(), given = code) =>
    ask('POST', '/claim', { code: given, id, secret: newSecret(), elements: named }, {})
  const elementsOf = async (id: string) =>
    ((await ask('GET', `?id=${id}`)).body.items[0]?.elements ?? []).map(
      ({ cplc }: { cplc: string }) => cplc,
    )
  const [first, second] = [newId(), newId()]
  // Twice the same is one, in whatever case.
  const named = [elements[0] ?? '', elements[0]?.toLowerCase() ?? '']
  expect(await claimWith(named, first)).toMatchObject({ status: 200 })
  expect(await elementsOf(first)).toEqual([elements[0]])
  expect(await claimWith(elements, second)).toMatchObject({
    status: 409,
    body: { code: 'element_attached_elsewhere', errors: [{ path: 'elements.0' }] },
  })
  // A refusal leaves nothing: neither a device nor an element, nor a use of the code.
  expect((await ask('GET', `?id=${second}`)).body.items).toEqual([])
  expect(await claimWith(elements.slice(1), second)).toMatchObject({ status: 200 })
  expect(await elementsOf(second)).toEqual(elements.slice(1))

  // A registered device keeps the elements assigned by people, up to the limit.
  const [known, many] = [newId(), newId()]
  const more = Array.from({ length: 8 }, newCplc)
  await ask('POST', '', { id: known, name: known, type: 'iot', cplc: more.slice(0, 7) })
  expect(await claimWith(more.slice(7), known)).toMatchObject({ status: 200 })
  expect((await elementsOf(known)).toSorted()).toEqual(more.toSorted())
  await ask('POST', '', { id: many, name: many, type: 'iot', cplc: [newCplc()] })
  const eight = Array.from({ length: 8 }, newCplc)
  expect(await claimWith(eight, many)).toMatchObject({
    status: 400,
    body: { code: 'invalid_request', errors: [{ path: 'elements' }] },
  })

  // An element of a service provider, without a device, is out of reach for a code without one.
  await sql`insert into maple.service (id, name, name_key) values ('e', 'e', 'e')`.execute(db)
  const theirs = newCplc()
  await sql`insert into maple.element (cplc, service_id) values (${theirs}, 'e')`.execute(db)
  expect(await claimWith([theirs])).toMatchObject({ body: { code: 'element_attached_elsewhere' } })
  const ours = await makeCode({ mostUses: 11 })
  await sql`update maple.claim_code set service_id = 'e' where id = ${ours.id}`.execute(db)
  expect(await claimWith([theirs], newId(), ours.code)).toMatchObject({ status: 200 })
})

test('two devices cannot have the same secret', async () => {
  const { code } = await makeCode({ mostUses: 10 })
  const secret = newSecret()
  await claim(code, newId(), secret)
  const second = newId()
  expect(await claim(code, second, secret)).toMatchObject({ body: { code: 'already_exists' } })
  expect((await ask('GET', `?id=${second}`)).body.items).toEqual([])
})

test('an expired or revoked code, or one of a suspended service provider, does not work', async () => {
  const old = await makeCode({ mostUses: 10 })
  await sql`update maple.claim_code set expires_at = now() where id = ${old.id}`.execute(db)
  expect(await claim(old.code)).toMatchObject(wrong)
  const revoked = await makeCode({ mostUses: 10 })
  expect(await ask('DELETE', `/claim_code?id=${revoked.id}`)).toMatchObject({ status: 204 })
  expect(await claim(revoked.code)).toMatchObject(wrong)
  const suspended = await makeCode({ mostUses: 10 })
  await sql`insert into maple.service (id, name, name_key, state) values ('s', 's', 's', 'suspended')`.execute(
    db,
  )
  await sql`update maple.claim_code set service_id = 's' where id = ${suspended.id}`.execute(db)
  expect(await claim(suspended.code)).toMatchObject(wrong)
})
