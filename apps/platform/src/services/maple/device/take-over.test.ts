import { randomBytes, randomUUID, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../core/testing/test-platform.ts'
import { admitCertificate } from '../certificate-authority/admit-certificate.ts'
import { beginConnections, findIdentities } from '../gateway/gateway.queries.ts'
import { hashOfSecret } from '../device-credential/device-credential.service.ts'
import { hasOpenssl, needs, openCertificates } from '../gateway/testing/openssl.ts'
import { maple } from '../index.ts'
import type { MapleDb } from '../tables.ts'

type Headers = Record<string, string>
interface Provider {
  id: string
  as: Headers
}

let server: TestServer
let db: MapleDb
let ours: Provider
let theirs: Provider
beforeAll(async () => {
  server = await startTestServer([maple])
  db = server.platform.db
  ours = await provider()
  theirs = await provider()
})
afterAll(() => server.close())

async function provider(): Promise<Provider> {
  const [id, holder] = [`s-${randomUUID()}`, randomUUID()]
  await sql`insert into maple.service (id, name, name_key) values (${id}, ${id}, ${id})`.execute(db)
  await sql`
    insert into maple.account (id, roles, service_id)
    values (${holder}, '{provider_admin}', ${id})`.execute(db)
  return { id, as: await server.bearer(['DEVELOPER'], holder) }
}

async function ask(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  as: Headers,
  payload?: object,
  remoteAddress = '127.0.0.1',
) {
  const { statusCode, body, headers } = await server.app.inject({
    method,
    url: `/api/maple/${path}`,
    headers: as,
    remoteAddress,
    ...(payload && { payload }),
  })
  return {
    status: statusCode,
    body: body === '' ? null : JSON.parse(body),
    retryAfter: headers['retry-after'],
  }
}

const newId = () => `d-${randomUUID()}`
const newSecret = () => randomBytes(32).toString('base64url')
const newCplc = () => randomBytes(42).toString('hex').toUpperCase()

/** As anybody can who knows the id, or guesses it. */
async function register({ as }: Provider, id: string, more: object = {}) {
  const made = await ask('POST', 'device', as, { id, name: 'Squatted', type: 'iot', ...more })
  expect(made.status).toBe(201)
}

const codeOf = async ({ as }: Provider, mostUses = 1): Promise<string> =>
  (await ask('POST', 'device/claim_code', as, { name: 'Batch', type: 'iot', mostUses })).body.code

const claim = (code: string, id: string, more: object = {}, from?: string) =>
  ask('POST', 'device/claim', {}, { code, id, secret: newSecret(), ...more }, from)

const eventsOf = async ({ id }: Provider, subject: string) =>
  (
    await sql<{ action: string; text: string }>`
      select action, event::text as text from maple.event as event
      where service_id = ${id} and subject = ${subject} order by event.id`.execute(db)
  ).rows
const deviceOf = async ({ as }: Provider, id: string) =>
  (await ask('GET', `device?id=${id}`, as)).body.items[0]

/** What the gateway does with a secret and a hello. */
async function connect(secret: string) {
  const [identity] = await findIdentities(db, [{ hash: hashOfSecret(secret) }])
  if (!identity) return undefined
  return beginAs(identity)
}

async function beginAs(identity: {
  deviceId: string
  credentialId: string
  serviceId: string | null
}) {
  const [begun] = await beginConnections(db, randomUUID(), [
    {
      ...identity,
      connectionId: randomUUID(),
      protocol: 'websocket',
      ip: '',
      boot: 'b',
      agent: null,
      firmware: null,
      elements: [],
    },
  ])
  return begun
}

test('a claim code takes the id and the elements of a registration that nobody proved', async () => {
  const [id, cplc, other] = [newId(), newCplc(), newCplc()]
  await register(theirs, id, {
    tags: ['theirs'],
    cplc: [cplc, other],
  })
  const claimed = await claim(await codeOf(ours), id, { elements: [cplc] })
  expect(claimed).toMatchObject({ status: 200, body: { id, state: 'quarantined' } })
  expect(await deviceOf(ours, id)).toMatchObject({
    name: id,
    serviceId: ours.id,
    tags: [],

    elements: [{ cplc }],
  })
  expect(await deviceOf(theirs, id)).toBeUndefined()
  // Nor does a filter by its tags find the device that has the id now.
  expect((await ask('GET', 'device?tag=theirs', ours.as)).body.items).toEqual([])
  // What was not claimed stays theirs.
  const { rows } = await sql<{ cplc: string; serviceId: string; deviceId: string | null }>`
    select cplc, service_id as "serviceId", device_id as "deviceId" from maple.element
    where cplc in (${cplc}, ${other})`.execute(db)
  expect(new Map(rows.map((row) => [row.cplc, row]))).toEqual(
    new Map([
      [cplc, { cplc, serviceId: ours.id, deviceId: id }],
      [other, { cplc: other, serviceId: theirs.id, deviceId: null }],
    ]),
  )
  const [lost, taken] = [await eventsOf(theirs, id), await eventsOf(ours, id)]
  expect(lost.map(({ action }) => action)).toContain('device.lose')
  expect(taken.map(({ action }) => action)).toEqual(['device.take_over', 'device.claim'])
  expect((await eventsOf(theirs, cplc)).map(({ action }) => action)).toContain('element.lose')
  expect((await eventsOf(ours, cplc)).map(({ action }) => action)).toContain('element.take_over')
  // Neither learns who the other is.
  expect(JSON.stringify(lost)).not.toContain(ours.id)
  expect(JSON.stringify(taken)).not.toContain(theirs.id)
})

test('what a device has shown is not taken: neither by a claim nor by an import', async () => {
  const [claimed, connected, cplc] = [newId(), newId(), newCplc()]
  await claim(await codeOf(ours), claimed, { elements: [cplc] })
  await register(ours, connected)
  const { secret } = (await ask('POST', 'device/credential', ours.as, { deviceId: connected })).body
  expect(await connect(secret)).toBeDefined()
  const code = await codeOf(theirs, 9)
  for (const id of [claimed, connected])
    expect(await claim(code, id)).toMatchObject({ status: 409, body: { code: 'device_id_taken' } })
  const id = newId()
  expect(await claim(code, id, { elements: [cplc] })).toMatchObject({
    status: 409,
    body: { code: 'element_attached_elsewhere' },
  })
  for (const taken of [claimed, connected])
    expect(await deviceOf(ours, taken)).toMatchObject({ serviceId: ours.id })
})

test('a claim code takes nothing that cannot be made again: secrets, keys, cards, elements in use', async () => {
  const code = await codeOf(ours, 9)
  const [withSecret, holder] = [newId(), newId()]
  const [withKeys, inUse] = [newCplc(), newCplc()]
  await register(theirs, withSecret)
  await ask('POST', 'device/credential', theirs.as, { deviceId: withSecret })
  expect(await claim(code, withSecret)).toMatchObject({
    status: 409,
    body: { code: 'device_id_taken' },
  })
  await register(theirs, holder, { cplc: [withKeys, inUse] })
  await sql`update maple.element set device_id = null, attached_at = null where cplc = ${withKeys}`.execute(
    db,
  )
  await sql`
    insert into maple.software_card (cplc, state) values (${withKeys}, '{}')`.execute(db)
  for (const cplc of [withKeys, inUse])
    expect(await claim(code, newId(), { elements: [cplc] })).toMatchObject({
      status: 409,
      body: { code: 'element_attached_elsewhere' },
    })
  expect(await deviceOf(theirs, withSecret)).toMatchObject({ serviceId: theirs.id })
})

test('an administrator gives a proven element to the device of another service provider', async () => {
  const admin = await server.bearer(['ADMIN'])
  const [cplc, mine, squatted] = [newCplc(), newId(), newId()]
  await claim(await codeOf(theirs), squatted, { elements: [cplc] })
  await register(ours, mine)
  expect(await claim(await codeOf(ours), newId(), { elements: [cplc] })).toMatchObject({
    status: 409,
    body: { code: 'element_attached_elsewhere' },
  })
  const detached = await ask('DELETE', `device?id=${squatted}&cplc=${cplc}`, admin)
  expect(detached.status).toBe(204)
  // It is still the other one's, who alone could attach it again.
  expect((await ask('PUT', `device?id=${mine}`, ours.as, { cplc: [cplc] })).status).toBe(409)
  expect(await ask('PUT', `device?id=${mine}`, admin, { cplc: [cplc] })).toMatchObject({
    status: 200,
    body: { serviceId: ours.id, elements: [{ cplc }] },
  })
  expect((await ask('GET', `se/element?cplc=${cplc}`, theirs.as)).body.items).toEqual([])
  expect((await ask('GET', `se/element?cplc=${cplc}`, ours.as)).body.items).toHaveLength(1)
})

test('a taken id tells a provider nothing of others', async () => {
  const [own, foreign] = [newId(), newId()]
  await register(ours, own)
  await register(theirs, foreign)
  const told = async (id: string) => {
    const { status, body } = await ask('POST', 'device', ours.as, { id, name: 'A', type: 'iot' })
    return [status, body.code, body.detail.replaceAll(id, '…')]
  }
  expect(await told(foreign)).toEqual(await told(own))
  expect((await told(foreign))[0]).toBe(409)
})

test('of two that prove one id at once, one has it', async () => {
  for (let round = 0; round < 5; round++) {
    const [id, cplc, squatter] = [newId(), newCplc(), await provider()]
    await register(squatter, id, { cplc: [cplc] })
    const codes = [await codeOf(ours), await codeOf(theirs)]
    const answers = await Promise.all(codes.map((code) => claim(code, id, { elements: [cplc] })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    const winner = answers[0]?.status === 200 ? ours : theirs
    expect(await deviceOf(winner, id)).toMatchObject({ elements: [{ cplc }] })
  }
})

test('a device that asks twice at once is answered twice, and uses its code once', async () => {
  const code = await codeOf(ours, 2)
  const [id, secret] = [newId(), newSecret()]
  const answers = await Promise.all([1, 2, 3].map(() => claim(code, id, { secret })))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect((await claim(code, newId())).status).toBe(200)
  expect((await claim(code, newId())).status).toBe(400)
})

test('a code that many use at once is used as often as it may be', async () => {
  const code = await codeOf(ours, 25)
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => claim(code, newId(), {}, `192.0.2.${n}`)),
  )
  const counted = (status: number) => answers.filter((each) => each.status === status).length
  expect([counted(200), counted(400)]).toEqual([25, 15])
})

test('wrong codes of one address are refused for a while, and those of others are not', async () => {
  const code = await codeOf(ours)
  const [guesser, device] = ['2001:db8:1:1::5', '2001:db8:1:2::5']
  const answers = []
  for (let n = 0; n < 120; n++)
    answers.push(await claim('7K2Q-F9M4-XT0B', newId(), {}, `2001:db8:1:1::${n}`))
  expect(answers[0]).toMatchObject({ status: 400, body: { code: 'wrong_pairing_code' } })
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(90)
  for (const { retryAfter } of refused) expect(Number(retryAfter)).toBeGreaterThan(0)
  expect((await claim(code, newId(), {}, guesser)).status).toBe(429)
  expect((await claim(code, newId(), {}, device)).status).toBe(200)
})

describe.skipIf(!hasOpenssl)(`a certificate ${needs}`, () => {
  const made = openCertificates()
  afterAll(() => made.close())

  async function factory({ as }: Provider) {
    const root = made.makeRoot(`Factory ${randomUUID()}`)
    const { id, challenge } = (
      await ask('POST', 'device/certificate_authority', as, {
        name: 'Factory',
        certificate: readFileSync(root.cert, 'utf8'),
        type: 'iot',
      })
    ).body
    const signature = made.sign(challenge, root.key)
    const proved = await ask('POST', `device/certificate_authority/${id}/proof`, as, { signature })
    expect(proved.status).toBe(200)
    return root
  }
  const certificateOf = (root: Awaited<ReturnType<typeof factory>>, id: string) =>
    new X509Certificate(readFileSync(made.issue(root, `/CN=${id}`).cert))
  const admit = async (certificate: X509Certificate) =>
    admitCertificate(await maple.open(server.platform), certificate)

  test('takes the id of a registration that nobody proved, also twice at once', async () => {
    const root = await factory(ours)
    const id = newId()
    await register(theirs, id, { tags: ['theirs'] })
    const certificate = certificateOf(root, id)
    const answers = await Promise.all([admit(certificate), admit(certificate)])
    for (const answer of answers)
      expect(answer).toMatchObject({ identity: { deviceId: id, serviceId: ours.id } })
    expect(await deviceOf(ours, id)).toMatchObject({ name: id, tags: [] })
    expect(await deviceOf(theirs, id)).toBeUndefined()
    expect((await eventsOf(theirs, id)).map(({ action }) => action)).toContain('device.lose')
    expect((await eventsOf(ours, id))[0]).toMatchObject({ action: 'device.take_over' })
    expect(await admit(certificate)).toMatchObject({ identity: { deviceId: id } })
  })

  test('names a device that another has proven: an administrator settles whose it is', async () => {
    const admin = await server.bearer(['ADMIN'])
    const root = await factory(ours)
    const [id, cplc] = [newId(), newCplc()]
    await register(theirs, id, { cplc: [cplc] })
    const { id: credentialId, secret } = (
      await ask('POST', 'device/credential', theirs.as, { deviceId: id })
    ).body
    expect(await connect(secret)).toBeDefined()
    const certificate = certificateOf(root, id)
    for (const _ of [1, 2]) expect(await admit(certificate)).toMatchObject({ isDisputed: true })

    // Once, in the events of the one with the certificate; the holder is not told, and not named.
    const told = await eventsOf(ours, id)
    expect(told.map(({ action }) => action)).toEqual(['device.dispute'])
    expect(JSON.stringify(told)).not.toContain(theirs.id)
    expect((await eventsOf(theirs, id)).map(({ action }) => action)).not.toContain('device.dispute')
    const [authority] = (await ask('GET', 'device/certificate_authority', ours.as)).body.items
    expect(authority.refused).toMatchObject({ reason: 'otherOwner' })

    // Neither of the two can settle it.
    for (const { as } of [ours, theirs])
      expect((await ask('PUT', `device?id=${id}`, as, { serviceId: ours.id })).status).not.toBe(200)
    expect(await ask('PUT', `device?id=${id}`, admin, { serviceId: ours.id })).toMatchObject({
      status: 200,
      body: { serviceId: ours.id, elements: [{ cplc }] },
    })
    expect(await deviceOf(theirs, id)).toBeUndefined()
    expect((await ask('GET', `se/element?cplc=${cplc}`, ours.as)).body.items).toHaveLength(1)
    expect(await admit(certificate)).toMatchObject({
      identity: { deviceId: id, serviceId: ours.id },
    })
    // The secret of the former holder is the device's until somebody revokes it.
    expect(await connect(secret)).toBeDefined()
    expect((await ask('DELETE', `device/credential?id=${credentialId}`, admin)).status).toBe(204)
    expect(await connect(secret)).toBeUndefined()
    expect(await admit(certificate)).toMatchObject({ identity: { deviceId: id } })
  })

  test('names a device that another gave a secret: it is not taken, and its factory is told', async () => {
    const root = await factory(ours)
    const id = newId()
    await register(theirs, id)
    await ask('POST', 'device/credential', theirs.as, { deviceId: id })
    expect(await admit(certificateOf(root, id))).toMatchObject({ isDisputed: true })
    expect((await eventsOf(ours, id)).map(({ action }) => action)).toEqual(['device.dispute'])
    expect(await deviceOf(theirs, id)).toMatchObject({ serviceId: theirs.id })
  })

  test('does not take what is proven, and its device is told to try again', async () => {
    const root = await factory(theirs)
    const id = newId()
    expect((await claim(await codeOf(ours), id)).status).toBe(200)
    expect(await admit(certificateOf(root, id))).toMatchObject({ isDisputed: true })
    expect(await deviceOf(ours, id)).toMatchObject({ serviceId: ours.id })
  })
})
