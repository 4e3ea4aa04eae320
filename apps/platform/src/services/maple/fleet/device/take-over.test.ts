import { randomBytes, randomUUID, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { admitCertificate } from '../../connect/certificate-authority/admit-certificate.ts'
import { beginConnections, findIdentities } from '../../connect/gateway/gateway.queries.ts'
import { hashOfSecret } from '../../connect/device-credential/device-credential.service.ts'
import { hasOpenssl, needs, openCertificates } from '../../connect/gateway/testing/openssl.ts'
import { maple } from '../../index.ts'
import type { MapleDb } from '../../base/tables.ts'

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

/** As anyone can who knows or guesses the id. */
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
    await sql<{ action: string; before: unknown; after: unknown; text: string }>`
      select action, before, after, event::text as text from maple.event as event
      where service_id = ${id} and subject = ${subject} order by event.id`.execute(db)
  ).rows
const deviceOf = async ({ as }: Provider, id: string) =>
  (await ask('GET', `device?id=${id}`, as)).body.items[0]

/** The gateway's work for a secret and a hello. */
async function connect(secret: string) {
  const [identity] = await findIdentities(db, [{ hash: hashOfSecret(secret) }])
  if (!identity) return undefined
  return beginAs(identity)
}

async function beginAs(identity: NonNullable<Awaited<ReturnType<typeof findIdentities>>[number]>) {
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

test('a claim code takes over the id and elements of an unproven registration', async () => {
  const [id, cplc, other] = [newId(), newCplc(), newCplc()]
  const code = await codeOf(ours)
  await register(theirs, id, { cplc: [cplc, other] })
  const claimed = await claim(code, id, { elements: [cplc] })
  expect(claimed).toMatchObject({ status: 200, body: { id, state: 'quarantined' } })
  expect(await deviceOf(ours, id)).toMatchObject({
    name: id,
    serviceId: ours.id,
    elements: [{ cplc }],
  })
  expect(await deviceOf(theirs, id)).toBeUndefined()
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

test('neither a claim nor an import takes over what a device has proven', async () => {
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

/** A registration with activity beyond its creation. */
const insertRollout = async (id: string) => {
  const rollout = randomUUID()
  await sql`
    insert into maple.rollout (id, service_id, name, name_key, kind, program_id, program_name,
      program_version, input, targets, plan)
    values (${rollout}, ${theirs.id}, 'R', 'r', 'script', ${rollout}, 'P', '1', '{}', '{}', '{}')`.execute(
    db,
  )
  await sql`
    insert into maple.rollout_execution (rollout_id, device_id, place)
    values (${rollout}, ${id}, 1)`.execute(db)
}
const works = {
  secret: (id: string) => ask('POST', 'device/credential', theirs.as, { deviceId: id }),
  command: (id: string) =>
    ask('POST', 'device/command', theirs.as, { deviceId: id, name: 'blink' }),
  'desired state': (id: string) =>
    ask('PUT', `device/twin?deviceId=${id}`, theirs.as, { desired: { period: 5 } }),
  tags: (id: string) => ask('PUT', `device?id=${id}`, theirs.as, { tags: ['site 7'] }),
  attributes: (id: string) =>
    ask('PUT', `device?id=${id}`, theirs.as, {
      attributes: { site: { type: 'text', value: '7' } },
    }),
  rollout: insertRollout,
  'a bound account': async (id: string) => {
    const account = randomUUID()
    await sql`
      insert into maple.account (id, roles, service_id)
      values (${account}, '{developer}', ${theirs.id})`.execute(db)
    const change = { innerId: `inner-${id}`, accountId: account }
    const bound = await ask('PUT', `device?id=${id}`, theirs.as, change)
    expect(bound.status).toBe(200)
  },
}

test.each(Object.entries(works))(
  'a claim code does not take over a registration with work: %s',
  async (_, work) => {
    const [id, code] = [newId(), await codeOf(ours)]
    await register(theirs, id)
    await work(id)
    expect(await claim(code, id)).toMatchObject({ status: 409, body: { code: 'device_id_taken' } })
    expect(await deviceOf(theirs, id)).toMatchObject({ serviceId: theirs.id })
  },
)

const elementWorks: Record<string, (cplc: string) => Promise<unknown>> = {
  'a software card': (cplc) =>
    sql`insert into maple.software_card (cplc, state) values (${cplc}, '{}')`.execute(db),
  'a profile': async (cplc) => {
    const profile = randomUUID()
    await sql`
      insert into maple.profile (id, name) values (${profile}, ${profile})`.execute(db)
    await sql`update maple.element set profile_id = ${profile} where cplc = ${cplc}`.execute(db)
  },
  keys: async (cplc) => {
    const key = '40'.repeat(16)
    const keys = { enc: key, mac: key, dek: key }
    const given = { cplc, version: 48, protocol: 'SCP03', keys }
    const made = await ask('POST', 'se/keys', await server.bearer(['ADMIN']), given)
    expect(made.status).toBe(201)
  },
  'keys in the HSM': (cplc) =>
    sql`update maple.element set has_hsm = true where cplc = ${cplc}`.execute(db),
  domains: (cplc) =>
    sql`insert into maple.domain (cplc, aid, state, privileges)
      values (${cplc}, 'A000000151000000', 'secured', '{}')`.execute(db),
  'an operation': (cplc) =>
    sql`
      insert into maple.card_operation (cplc, kind, input, steps)
      values (${cplc}, 'domains', '{}', '[]')`.execute(db),
  'a former CPLC': (cplc) =>
    sql`insert into maple.element_history (former_cplc, cplc) values (${newCplc()}, ${cplc})`.execute(
      db,
    ),
  'a session that opened it': (cplc) =>
    sql`update maple.element set proven_at = now() where cplc = ${cplc}`.execute(db),
}

test.each(Object.entries(elementWorks))(
  'a claim code does not take over an element with %s, nor its device',
  async (_, work) => {
    const [id, inUse, detached] = [newId(), newCplc(), newCplc()]
    const code = await codeOf(ours, 9)
    await register(theirs, id, { cplc: [inUse, detached] })
    await ask('DELETE', `device?id=${id}&cplc=${detached}`, theirs.as)
    for (const cplc of [inUse, detached]) await work(cplc)
    for (const cplc of [inUse, detached])
      expect(await claim(code, newId(), { elements: [cplc] })).toMatchObject({
        status: 409,
        body: { code: 'element_attached_elsewhere' },
      })
    expect(await claim(code, id)).toMatchObject({ status: 409, body: { code: 'device_id_taken' } })
    expect(await deviceOf(theirs, id)).toMatchObject({ elements: [{ cplc: inUse }] })
  },
)

test('a claim code takes over nothing that was registered before it: people settle that', async () => {
  const [id, cplc] = [newId(), newCplc()]
  await register(theirs, id, { cplc: [cplc] })
  await ask('DELETE', `device?id=${id}&cplc=${cplc}`, theirs.as)
  const code = await codeOf(ours, 9)
  for (const _ of [1, 2]) {
    const device = await claim(code, id)
    expect(device).toMatchObject({ status: 409, body: { code: 'device_id_taken' } })
    const element = await claim(code, newId(), { elements: [cplc] })
    expect(element).toMatchObject({ status: 409, body: { code: 'element_attached_elsewhere' } })
    expect(JSON.stringify([device, element])).not.toContain(theirs.id)
  }
  expect(await deviceOf(theirs, id)).toMatchObject({ serviceId: theirs.id })
  // Once, in the events of the one with the code, which administrators see.
  for (const [subject, action] of [
    [id, 'device.dispute'],
    [cplc, 'element.dispute'],
  ] as const) {
    const told = await eventsOf(ours, subject)
    expect(told.map((each) => each.action)).toEqual([action])
    expect(JSON.stringify(told)).not.toContain(theirs.id)
    const toHolder = (await eventsOf(theirs, subject)).map((each) => each.action)
    expect(toHolder).not.toContain(action)
    expect(toHolder).not.toContain(action.replace('dispute', 'lose'))
  }
  const admin = await server.bearer(['ADMIN'])
  const { items } = (await ask('GET', `event?subject=${id}`, admin)).body
  expect(items.map((each: { action: string }) => each.action)).toContain('device.dispute')
})

test('the event of a lost registration has what is needed to recreate it, and nothing of the new owner', async () => {
  const [taker, id, cplc, own] = [await provider(), newId(), newCplc(), newCplc()]
  const code = await codeOf(taker)
  await register(theirs, id, { name: 'Pump 7', innerId: `inner-${id}`, cplc: [cplc] })
  const made = await ask('POST', 'se/element', theirs.as, { cplc: own, state: 'initialized' })
  expect(made.status).toBe(201)
  const claimed = await claim(code, id, { elements: [own] })
  expect(claimed.status).toBe(200)
  const lost = (await eventsOf(theirs, id)).find(({ action }) => action === 'device.lose')
  expect(lost?.before).toMatchObject({
    id,
    name: 'Pump 7',
    type: 'iot',
    state: 'pending',
    innerId: `inner-${id}`,
    accountId: null,
    productId: null,
    tags: [],
    attributes: {},
    elements: [{ cplc }],
  })
  const element = (await eventsOf(theirs, own)).find(({ action }) => action === 'element.lose')
  expect(element?.before).toMatchObject({ cplc: own, state: 'initialized' })
  expect(lost?.after).toEqual({ proof: 'claimCode' })
  expect(element?.after).toEqual({ proof: 'claimCode' })
  expect(JSON.stringify([lost, element])).not.toContain(taker.id)
})

test('a service provider takes over 20 registrations a day, however many are claimed at once', async () => {
  const taker = await provider()
  const code = await codeOf(taker, 50)
  const ids = Array.from({ length: 24 }, newId)
  for (const id of ids) await register(theirs, id)
  const answers = await Promise.all(ids.map((id) => claim(code, id)))
  const counted = (status: number) => answers.filter((each) => each.status === status).length
  expect([counted(200), counted(409)]).toEqual([20, 4])
  const [kept = ''] = ids.filter((_, at) => answers[at]?.status === 409)
  expect(await deviceOf(theirs, kept)).toMatchObject({ serviceId: theirs.id })
  expect((await eventsOf(taker, kept)).map(({ action }) => action)).toEqual(['device.dispute'])

  // Elements count like devices; those without an owner do not count.
  const cplc = newCplc()
  expect((await ask('POST', 'se/element', theirs.as, { cplc })).status).toBe(201)
  expect((await claim(code, newId(), { elements: [cplc] })).status).toBe(409)
  expect((await claim(code, newId(), { elements: [newCplc()] })).status).toBe(200)

  await sql`update maple.take_over set day = day - 1 where service_id = ${taker.id}`.execute(db)
  expect((await claim(code, kept, { elements: [cplc] })).status).toBe(200)
  const { rows } = await sql<{ count: number }>`
    select count from maple.take_over where service_id = ${taker.id}`.execute(db)
  expect(rows).toEqual([{ count: 2 }])
})

test('a device that an administrator moved is not taken back', async () => {
  const admin = await server.bearer(['ADMIN'])
  const code = await codeOf(theirs, 9)
  const [moved, many] = [newId(), newId()]
  for (const id of [moved, many]) await register(theirs, id)
  const change = { serviceId: ours.id }
  expect((await ask('PUT', `device?id=${moved}`, admin, change)).status).toBe(200)
  const bulk = { filter: { id: many }, action: 'setService', ...change }
  expect((await ask('POST', 'device/bulk', admin, bulk)).status).toBe(201)
  await vi.waitFor(async () => expect(await deviceOf(ours, many)).toBeDefined(), 20_000)
  for (const id of [moved, many]) {
    expect((await claim(code, id)).status).toBe(409)
    expect(await deviceOf(ours, id)).toMatchObject({ serviceId: ours.id })
  }
})

// The embedded database has one connection: nothing meets there.
describe.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')('work that meets a claim', () => {
  const meeting = ['secret', 'command', 'desired state'] as const
  const isWaiting = (query: string) =>
    vi.waitFor(async () => {
      const { rows } = await sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'
          and query like ${`%${query}%`}`.execute(db)
      expect(rows).not.toEqual([])
    })

  test.each(meeting)('comes first and keeps the device: %s', async (work) => {
    const [id, code] = [newId(), await codeOf(ours)]
    await register(theirs, id)
    const [asked, claimed] = await db.transaction().execute(async (tx) => {
      // The activity is written, and waits for its commit; then the claim comes.
      await sql`lock table maple.event in share mode`.execute(tx)
      const first = works[work](id)
      await isWaiting('"event"')
      const second = claim(code, id)
      await isWaiting('maple.device%for update')
      return [first, second]
    })
    expect([await asked, await claimed]).toMatchObject([
      { status: work === 'desired state' ? 200 : 201 },
      { status: 409, body: { code: 'device_id_taken' } },
    ])
    expect(await deviceOf(theirs, id)).toBeDefined()
  })

  test.each(meeting)('comes too late and is told that the device is gone: %s', async (work) => {
    const [id, code] = [newId(), await codeOf(ours)]
    await register(theirs, id)
    const [asked, claimed] = await db.transaction().execute(async (tx) => {
      // The claim has taken the device, and waits for its code; then the activity comes.
      await sql`select from maple.claim_code where service_id = ${ours.id} for no key update`.execute(
        tx,
      )
      const first = claim(code, id)
      await isWaiting('update maple.claim_code')
      const second = works[work](id)
      await isWaiting('maple.device')
      return [second, first]
    })
    expect([await asked, await claimed]).toMatchObject([
      { status: 404, body: { code: 'not_found' } },
      { status: 200 },
    ])
  })

  test.each(meeting)('at once, round after round: %s', async (work) => {
    const taker = await provider()
    for (let round = 0; round < 15; round++) {
      const [id, code] = [newId(), await codeOf(taker)]
      await register(theirs, id)
      const [asked, claimed] = await Promise.all([works[work](id), claim(code, id)])
      const isKept = claimed.status === 409
      expect([asked.status, claimed.status]).toEqual(
        isKept ? [work === 'desired state' ? 200 : 201, 409] : [404, 200],
      )
      expect(await deviceOf(isKept ? theirs : taker, id)).toBeDefined()
    }
  })

  test('keys that arrive while their element is claimed keep it, or are told that it is gone', async () => {
    const [taker, admin] = [await provider(), await server.bearer(['ADMIN'])]
    const key = '40'.repeat(16)
    for (let round = 0; round < 15; round++) {
      const [cplc, code] = [newCplc(), await codeOf(taker)]
      expect((await ask('POST', 'se/element', theirs.as, { cplc })).status).toBe(201)
      const given = { cplc, version: 48, protocol: 'SCP03', keys: { enc: key, mac: key, dek: key } }
      const [asked, claimed] = await Promise.all([
        ask('POST', 'se/keys', admin, given),
        claim(code, newId(), { elements: [cplc] }),
      ])
      // An administrator imports the keys for the owner that the element has by then.
      expect([asked.status, claimed.status]).toEqual(
        claimed.status === 409 ? [201, 409] : [expect.toBeOneOf([201, 404]), 200],
      )
    }
  })
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
  // It still belongs to the other one, the only one who could attach it again.
  expect((await ask('PUT', `device?id=${mine}`, ours.as, { cplc: [cplc] })).status).toBe(409)
  expect(await ask('PUT', `device?id=${mine}`, admin, { cplc: [cplc] })).toMatchObject({
    status: 200,
    body: { serviceId: ours.id, elements: [{ cplc }] },
  })
  expect((await ask('GET', `se/element?cplc=${cplc}`, theirs.as)).body.items).toEqual([])
  expect((await ask('GET', `se/element?cplc=${cplc}`, ours.as)).body.items).toHaveLength(1)
})

test('a taken id reveals nothing about other providers', async () => {
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

test('of two that prove the same id at once, one gets it', async () => {
  for (let round = 0; round < 5; round++) {
    const [id, cplc, squatter] = [newId(), newCplc(), await provider()]
    const codes = [await codeOf(ours), await codeOf(theirs)]
    await register(squatter, id, { cplc: [cplc] })
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

test('a code used concurrently is used no more often than allowed', async () => {
  const code = await codeOf(ours, 25)
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => claim(code, newId(), {}, `192.0.2.${n}`)),
  )
  const counted = (status: number) => answers.filter((each) => each.status === status).length
  expect([counted(200), counted(400)]).toEqual([25, 15])
})

test('wrong codes from one address are refused for a while, those of others are not', async () => {
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

  test('takes over the id of an unproven registration, even twice at once', async () => {
    const root = await factory(ours)
    const id = newId()
    await register(theirs, id)
    const certificate = certificateOf(root, id)
    const answers = await Promise.all([admit(certificate), admit(certificate)])
    for (const answer of answers)
      expect(answer).toMatchObject({ identity: { deviceId: id, serviceId: ours.id } })
    expect(await deviceOf(ours, id)).toMatchObject({ name: id })
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

    // Once, in the events of the owner of the certificate; the holder is neither notified nor named.
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
    // The former holder's secret stays valid for the device until somebody revokes it.
    expect(await connect(secret)).toBeDefined()
    expect((await ask('DELETE', `device/credential?id=${credentialId}`, admin)).status).toBe(204)
    expect(await connect(secret)).toBeUndefined()
    expect(await admit(certificate)).toMatchObject({ identity: { deviceId: id } })
  })

  test('of an authority that was proved later takes over nothing: people settle that', async () => {
    const id = newId()
    await register(theirs, id)
    const root = await factory(ours)
    expect(await admit(certificateOf(root, id))).toMatchObject({ isDisputed: true })
    expect(await deviceOf(theirs, id)).toMatchObject({ serviceId: theirs.id })
    expect((await eventsOf(ours, id)).map(({ action }) => action)).toEqual(['device.dispute'])
    const [authority] = (await ask('GET', 'device/certificate_authority', ours.as)).body.items
    expect(authority.refused).toMatchObject({ reason: 'otherOwner' })
  })

  test('takes over 20 registrations a day, with whichever proof', async () => {
    const taker = await provider()
    const [root, code, id] = [await factory(taker), await codeOf(taker), newId()]
    await sql`insert into maple.take_over values (${taker.id}, (now() at time zone 'UTC')::date, 19)`.execute(
      db,
    )
    for (const each of [id, `${id}-2`]) await register(theirs, each)
    expect((await claim(code, id)).status).toBe(200)
    expect(await admit(certificateOf(root, `${id}-2`))).toMatchObject({ isDisputed: true })
    expect(await deviceOf(theirs, `${id}-2`)).toMatchObject({ serviceId: theirs.id })
  })

  test('names a device with a secret from another owner: it is not taken, and its factory is told', async () => {
    const root = await factory(ours)
    const id = newId()
    await register(theirs, id)
    await ask('POST', 'device/credential', theirs.as, { deviceId: id })
    expect(await admit(certificateOf(root, id))).toMatchObject({ isDisputed: true })
    expect((await eventsOf(ours, id)).map(({ action }) => action)).toEqual(['device.dispute'])
    expect(await deviceOf(theirs, id)).toMatchObject({ serviceId: theirs.id })
  })

  test('does not take over proven ones, and its device is told to try again', async () => {
    const root = await factory(theirs)
    const id = newId()
    expect((await claim(await codeOf(ours), id)).status).toBe(200)
    expect(await admit(certificateOf(root, id))).toMatchObject({ isDisputed: true })
    expect(await deviceOf(ours, id)).toMatchObject({ serviceId: ours.id })
  })
})
