import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { Device } from '@grove/contract/maple/fleet/device'
import type { Problem } from '@grove/contract/shapes'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { chipId } from '@grove/secure-element/cplc'
import { resourceClient } from '../../../../core/testing/resource-client.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'

let server: TestServer
const clientOf = <Item extends object>(url: `/api/${string}`, admin: { authorization: string }) =>
  resourceClient<Item & { id: string }>(server, url, admin)
let elements: ReturnType<typeof clientOf<SecureElement>>
let devices: ReturnType<typeof clientOf<Device>>
let hsm: ReturnType<typeof clientOf<SecureElement>>
const adminId = randomUUID()
beforeAll(async () => {
  server = await startTestServer([maple])
  const admin = await server.bearer(['ADMIN'], adminId)
  elements = clientOf('/api/maple/se/element', admin)
  devices = clientOf('/api/maple/device', admin)
  hsm = clientOf('/api/maple/se/hsm', admin)
})
afterAll(() => server.close())

const newCplc = () => randomBytes(42).toString('hex').toUpperCase()
/** The CPLC of the same chip after another personalisation. */
const personalisedAgain = (cplc: string) => cplc.slice(0, 36) + newCplc().slice(36)
const create = (body: BodyOf<Calls['POST /api/maple/se/element']>) => elements.create(body)
const read = async (cplc: string): Promise<SecureElement | undefined> =>
  (await elements.list({ cplc })).items[0]
const newDevice = (cplc: string[]) => devices.create({ name: 'Gate', type: 'iot', cplc })
const keepInHsm = (cplc: string) =>
  sql`update maple.element set has_hsm = true where cplc = ${cplc}`.execute(server.platform.db)
const detailOf = async (...request: Parameters<typeof elements.send>) =>
  (await elements.send(...request)).json<Problem>().detail

describe('registering an element', () => {
  test('returns it as it is read afterwards', async () => {
    const cplc = newCplc()
    const element = await create({ cplc })
    expect(element).toEqual({
      id: cplc,
      cplc,
      chipId: chipId(cplc),
      state: 'unknown',
      profile: null,
      device: null,
      hsm: false,
      approvals: [],
      conflicts: [],
      difference: null,
      history: [],
      rights: { delete: null, hsm: null, terminate: null },
      revision: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    expect(await read(cplc)).toEqual(element)
    expect(await elements.eventsOf(cplc)).toMatchObject([
      { action: 'element.create', actor: adminId, before: null, after: { cplc } },
    ])
  })

  test.each([
    ['in lower case', (cplc: string) => cplc.toLowerCase()],
    ['in groups', (cplc: string) => ` ${cplc.match(/.{4}/g)?.join(' ')}\n`],
    ['with colons', (cplc: string) => cplc.match(/../g)?.join(':') ?? ''],
    ['as a raw reply', (cplc: string) => `9f7f2a${cplc}`],
    ['as a raw reply with its status word', (cplc: string) => `9F7F 2A ${cplc} 9000`],
  ])('takes a CPLC %s', async (_, written) => {
    const cplc = newCplc()
    expect((await create({ cplc: written(cplc) })).cplc).toBe(cplc)
  })

  test.each([
    ['4790', 'cplc has 4 hex digits; a CPLC has 84.'],
    ['4'.repeat(83), 'cplc has 83 hex digits, so half a byte is missing; a CPLC has 84.'],
    ['9F7F2A4790', 'cplc has 4 hex digits; a CPLC has 84.'],
    [`${'4'.repeat(83)}G`, 'cplc contains “G”, which is not a hex digit.'],
    ['4790 é', 'cplc contains “É”, which is not a hex digit.'],
    ['  ', 'cplc has 0 hex digits; a CPLC has 84.'],
  ])('says what is wrong with %j', async (cplc, detail) => {
    const response = await elements.send('POST', {}, { cplc })
    expect([response.statusCode, response.json<Problem>()]).toEqual([
      400,
      expect.objectContaining({ detail, errors: [expect.objectContaining({ path: 'cplc' })] }),
    ])
    for (const method of ['GET', 'DELETE'] as const)
      expect(await detailOf(method, { cplc })).toBe(detail)
  })

  test('ten times at once creates one element', async () => {
    const cplc = newCplc()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => elements.refusal('POST', {}, { cplc })),
    )
    expect(answers.filter(([status]) => status !== 201)).toEqual(
      Array.from({ length: 9 }, () => [409, 'already_exists', 'cplc']),
    )
    expect(await elements.eventsOf(cplc)).toHaveLength(1)
  })
})

describe('a chip that is known by another CPLC', () => {
  test('is refused with both options, and is a conflict once it is said to be another chip', async () => {
    const one = newCplc()
    const other = personalisedAgain(one)
    await create({ cplc: one })
    expect(await elements.refusal('POST', {}, { cplc: other })).toEqual([409, 'chip_known', 'cplc'])
    expect(await detailOf('POST', {}, { cplc: other })).toContain(one)
    expect((await create({ cplc: other, isOtherChip: true })).conflicts).toEqual([one])
    expect((await read(one))?.conflicts).toEqual([other])
  })

  test('of which each of two devices has one points at the other', async () => {
    const one = newCplc()
    const other = personalisedAgain(one)
    const gate = await newDevice([one])
    const lock = await newDevice([other])
    expect((await read(one))?.conflicts).toEqual([other])
    const answer = await elements.send('POST', {}, { cplc: other, replaces: one })
    expect([answer.statusCode, answer.json<Problem>().code]).toEqual([409, 'element_attached'])
    for (const { id } of [gate, lock]) expect(answer.json<Problem>().detail).toContain(id)
  })

  test('takes its place when it is personalised again, and keeps the old CPLC', async () => {
    const former = newCplc()
    const cplc = personalisedAgain(former)
    await create({ cplc: former, state: 'initialized' })
    await keepInHsm(former)
    const device = await newDevice([former])
    const element = await create({ cplc, replaces: former, state: 'secured' })
    expect(element).toMatchObject({
      cplc,
      state: 'secured',
      hsm: true,
      device: { id: device.id },
      conflicts: [],
      history: [{ cplc: former }],
    })
    expect(await read(former)).toEqual(element)
    expect((await devices.list({ id: device.id })).items[0]?.elements).toMatchObject([{ cplc }])
    const last = { action: 'element.replace', before: { cplc: former }, after: { cplc } }
    expect((await elements.eventsOf(former)).at(-1)).toMatchObject(last)
    expect((await elements.eventsOf(cplc)).at(-1)).toMatchObject(last)
    expect(await elements.refusal('POST', {}, { cplc: former })).toEqual([
      409,
      'already_exists',
      'cplc',
    ])
    const third = personalisedAgain(former)
    const { history } = await create({ cplc: third, replaces: cplc })
    expect(history.map((each) => each.cplc)).toEqual([cplc, former])
  })

  test('takes over the rest from the old one if a device has the new one already', async () => {
    const former = newCplc()
    const cplc = personalisedAgain(former)
    await create({ cplc: former, state: 'secured' })
    await keepInHsm(former)
    const { id } = await newDevice([cplc])
    expect(await create({ cplc, replaces: former })).toMatchObject({
      state: 'secured',
      hsm: true,
      device: { id },
      conflicts: [],
      history: [{ cplc: former }],
    })
  })

  test('cannot be replaced by a chip with another id, by itself, or by an unknown one', async () => {
    const cplc = newCplc()
    await create({ cplc })
    const post = (body: object) => elements.refusal('POST', {}, body)
    expect(await post({ cplc: newCplc(), replaces: cplc })).toEqual([
      409,
      'chip_differs',
      'replaces',
    ])
    expect(await post({ cplc, replaces: cplc })).toEqual([409, 'already_exists', 'replaces'])
    const unknown = personalisedAgain(cplc)
    expect(await post({ cplc: personalisedAgain(cplc), replaces: unknown })).toEqual([
      404,
      'not_found',
    ])
  })

  test('registered by two admins at once becomes one element and one refusal', async () => {
    const chip = newCplc()
    const answers = await Promise.all(
      [chip, personalisedAgain(chip)].map((cplc) => elements.send('POST', {}, { cplc })),
    )
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
      201, 409,
    ])
  })
})

describe('deleting an element', () => {
  test('is refused while a device has it, and says which', async () => {
    const cplc = newCplc()
    const { id } = await newDevice([cplc])
    expect((await read(cplc))?.rights.delete).toBe('element_attached')
    expect(await elements.refusal('DELETE', { cplc })).toEqual([409, 'element_attached'])
    expect(await detailOf('DELETE', { cplc })).toContain(id)
    await devices.send('DELETE', { id, cplc })
    expect((await elements.send('DELETE', { cplc })).statusCode).toBe(204)
    expect(await read(cplc)).toBeUndefined()
    expect((await elements.eventsOf(cplc)).map(({ action }) => action)).toEqual([
      'element.attach',
      'element.detach',
      'element.delete',
    ])
  })

  test('with an old revision, or of an unknown one, is refused', async () => {
    const { cplc } = await create({ cplc: newCplc() })
    const stale = { 'if-match': '"7"' }
    expect(await elements.refusal('DELETE', { cplc }, undefined, stale)).toEqual([
      409,
      'edit_conflict',
    ])
    expect(await elements.refusal('DELETE', { cplc: newCplc() })).toEqual([404, 'not_found'])
  })

  test('races with a device that attaches it, and one of them wins', async () => {
    for (let round = 0; round < 5; round++) {
      const { cplc } = await create({ cplc: newCplc() })
      await Promise.all([elements.send('DELETE', { cplc }), newDevice([cplc])])
      // Whichever was first: the device has an element that exists.
      expect((await read(cplc))?.device).not.toBeNull()
    }
  })
})

describe('the HSM switch', () => {
  const enable = (cplc: string, on: boolean, more: object = {}) =>
    hsm.send('POST', {}, { cplc, enable: on }, more)

  test('waits for two other people, and asking again changes nothing', async () => {
    const { cplc } = await create({ cplc: newCplc() })
    const asked = (await enable(cplc, true)).json<SecureElement>()
    expect(asked).toMatchObject({ hsm: false, revision: 1, approvals: [{ action: 'element.hsm' }] })
    expect((await enable(cplc, true)).json()).toEqual(asked)
    expect((await enable(cplc, false)).json()).toMatchObject({ hsm: false })
    expect((await elements.eventsOf(cplc)).slice(1)).toMatchObject([
      { action: 'approval.request', actor: adminId, after: { input: { enable: true } } },
    ])
  })

  test('with an old revision is refused', async () => {
    const { cplc } = await create({ cplc: newCplc() })
    const late = await enable(cplc, true, { 'if-match': '"7"' })
    expect([late.statusCode, late.json<Problem>().code]).toEqual([409, 'edit_conflict'])
    expect((await read(cplc))?.approvals).toEqual([])
  })

  test('is refused for a terminated card', async () => {
    const { cplc, rights } = await create({ cplc: newCplc(), state: 'terminated' })
    expect(rights.hsm).toBe('transition_refused')
    expect((await enable(cplc, true)).json<Problem>().code).toBe('transition_refused')
    expect((await enable(newCplc(), true)).statusCode).toBe(404)
  })
})

test('attaching and detaching count as changes of the element', async () => {
  const { cplc } = await create({ cplc: newCplc() })
  const { id } = await newDevice([cplc])
  expect(await read(cplc)).toMatchObject({ revision: 2, device: { id, name: 'Gate' } })
  await devices.send('PUT', { id }, { cplc: [] })
  expect(await read(cplc)).toMatchObject({ revision: 3, device: null })
  expect((await elements.eventsOf(cplc)).slice(1)).toMatchObject([
    { action: 'element.attach', actor: adminId, after: { deviceId: id } },
    { action: 'element.detach', before: { deviceId: id } },
  ])
})

test.each([
  ['GET', '/api/maple/se/element'],
  ['POST', '/api/maple/se/element'],
  ['DELETE', `/api/maple/se/element?cplc=${newCplc()}`],
  ['POST', '/api/maple/se/hsm'],
  ['GET', '/api/maple/se/profiles'],
] as const)('%s %s is for admins', async (method, url) => {
  const payload = method === 'POST' ? { cplc: newCplc(), enable: true } : undefined
  const answers = await Promise.all(
    [['DEVELOPER'], ['CUSTOMER']].map(async (roles) =>
      server.app.inject({
        method,
        url,
        headers: await server.bearer(roles),
        ...(payload && { payload }),
      }),
    ),
  )
  for (const answer of answers)
    expect([answer.statusCode, answer.json<Problem>().code]).toEqual([403, 'forbidden'])
})
