import { difference } from '../../../../core/events/difference.ts'
import { processActor } from '../../../../core/actor.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Device } from '@grove/contract/maple/fleet/device'
import type { Problem } from '@grove/contract/shapes'
import {
  deviceStates,
  deviceTransitions,
  maxDeviceNameLength,
  maxElements,
} from '@grove/contract/maple/fleet/device.rules'
import { resourceClient } from '../../../../core/testing/resource-client.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'
import { importDevices } from './device-import.service.ts'

let server: TestServer
let devices: ReturnType<typeof resourceClient<Device>>
const adminId = randomUUID()
beforeAll(async () => {
  server = await startTestServer([maple])
  const admin = await server.bearer(['ADMIN'], adminId)
  devices = resourceClient(server, '/api/maple/device', admin)
})
afterAll(() => server.close())

const newCplc = () => randomBytes(42).toString('hex').toUpperCase()

const send = (...request: Parameters<typeof devices.send>) => devices.send(...request)
const create = (body: object = {}) =>
  devices.create({ name: 'Turnstile 0412', type: 'iot', ...body })

async function read(id: string): Promise<Device | undefined> {
  return (await send('GET', { id })).json<{ items: Device[] }>().items[0]
}

const cplcsOf = (device: Device | undefined) => device?.elements.map(({ cplc }) => cplc)

const statusesOf = (answers: readonly { statusCode: number }[]) =>
  answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)

const auditOf = (id: string) => devices.eventsOf(id)

describe('registering a device', () => {
  test('returns it as it is read afterwards', async () => {
    const cplc = newCplc()
    const device = await create({ name: '  Дверь 7  ', type: 'boot', cplc: [cplc, cplc] })
    expect(device).toMatchObject({
      name: 'Дверь 7',
      type: 'boot',
      state: 'pending',
      revision: 1,
      lastSeenAt: null,
      elements: [{ cplc }],
    })
    expect(await read(device.id)).toEqual(device)
  })

  test('accepts an id, and refuses it the second time', async () => {
    const id = `Gate.${randomUUID()}`
    expect((await create({ id })).id).toBe(id)
    const second = await send('POST', {}, { id, name: 'Other', type: 'iot' })
    expect([second.statusCode, second.json().code]).toEqual([409, 'device_id_taken'])
    expect((await read(id))?.name).toBe('Turnstile 0412')
  })

  test('with the same id ten times at once creates one device', async () => {
    const id = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => send('POST', {}, { id, name: 'N', type: 'iot' })),
    )
    expect(statusesOf(answers)).toEqual([201, ...Array(9).fill(409)])
  })

  test.each([
    [{ name: 'x'.repeat(maxDeviceNameLength + 1) }, 'name', 'maxLength', maxDeviceNameLength],
    [{ name: '' }, 'name', 'minLength', 1],
    [{ name: ' \n ' }, 'name', 'minLength', 1],
    [{ cplc: Array.from({ length: maxElements + 1 }, newCplc) }, 'cplc', 'maxItems', maxElements],
  ])('beyond a limit returns the limit as a number', async (fields, path, code, limit) => {
    const response = await send('POST', {}, { name: 'Turnstile', type: 'iot', ...fields })
    expect(response.statusCode).toBe(400)
    expect(response.json<Problem>().errors).toMatchObject([{ path, code, params: { limit } }])
  })

  test('keeps a CPLC in upper case without its tag', async () => {
    const cplc = newCplc()
    const device = await create({ cplc: [`9f7F2a${cplc.toLowerCase()}`] })
    expect(cplcsOf(device)).toEqual([cplc])
  })

  test.each([
    ['name', { name: '' }],
    ['name', { name: ' \t ' }],
    ['name', { name: 'x'.repeat(101) }],
    ['type', { type: 'IOT' }],
    ['state', { state: 'online' }],
    ['id', { id: 'with space' }],
    ['id', { id: 'дверь' }],
    ['cplc.0', { cplc: ['9F7F2A'] }],
    ['cplc.0', { cplc: ['0'.repeat(83)] }],
    ['cplc.0', { cplc: ['G'.repeat(84)] }],
    ['cplc', { cplc: Array.from({ length: 9 }, newCplc) }],
  ])('names a wrong %s: %o', async (path, body) => {
    const response = await send('POST', {}, { name: 'N', type: 'iot', ...body })
    expect(response.statusCode).toBe(400)
    expect(response.json().errors[0].path).toBe(path)
  })

  test.each([
    `'; drop table maple.device; --`,
    '<script>alert(1)</script>',
    '👩‍👩‍👧‍👦 🏳️‍🌈',
    'שלום مرحبا',
    '\u{1d160}'.repeat(100),
    '"\\'.repeat(50),
    'İ'.repeat(100),
  ])('stores the name %j unchanged, and finds and pages over it', async (name) => {
    const device = await create({ name })
    expect((await read(device.id))?.name).toBe(name)
    const found = (await send('GET', { q: name.slice(0, 90), limit: '200' })).json()
    expect(found.items.map(({ id }: Device) => id)).toContain(device.id)
    const twin = await create({ name })
    const query = { q: name.slice(0, 90), limit: '1' }
    const first = (await send('GET', query)).json()
    const second = (await send('GET', { ...query, cursor: first.next })).json()
    expect(new Set([first.items[0].id, second.items[0].id])).toEqual(new Set([device.id, twin.id]))
  })
})

describe('changing a device', () => {
  test('changes only the given fields', async () => {
    const cplc = newCplc()
    const device = await create({ cplc: [cplc] })
    const response = await send('PUT', { id: device.id }, { name: 'Renamed' })
    expect(response.json()).toEqual({
      ...device,
      name: 'Renamed',
      revision: 2,
      updatedAt: expect.any(String),
    })
    const found = (await send('GET', { q: 'RENAMED' })).json()
    expect(found.items.map(({ id }: Device) => id)).toContain(device.id)
  })

  test('without an effect leaves the revision and adds no event', async () => {
    const device = await create({ cplc: [newCplc()] })
    const same = {
      name: device.name,
      type: device.type,
      state: device.state,
      cplc: cplcsOf(device),
    }
    expect((await send('PUT', { id: device.id }, same)).json()).toEqual(device)
    expect(await auditOf(device.id)).toHaveLength(1)
  })

  test('with an outdated revision is refused', async () => {
    const { id } = await create()
    const put = (name: string, revision: string) =>
      send('PUT', { id }, { name }, { 'if-match': revision })
    expect((await put('A', '"1"')).statusCode).toBe(200)
    const late = await put('B', '"1"')
    expect([late.statusCode, late.json().code]).toEqual([409, 'edit_conflict'])
    expect((await put('C', '2')).json()).toMatchObject({ name: 'C', revision: 3 })
  })

  test('with the same revision ten times at once succeeds once', async () => {
    const { id } = await create()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        send('PUT', { id }, { name: `N${at}` }, { 'if-match': '"1"' }),
      ),
    )
    expect(statusesOf(answers)).toEqual([200, ...Array(9).fill(409)])
    expect((await read(id))?.revision).toBe(2)
  })

  test('of a missing device is not found', async () => {
    for (const method of ['PUT', 'DELETE'] as const) {
      const response = await send(method, { id: 'nobody' }, method === 'PUT' ? {} : undefined)
      expect([response.statusCode, response.json().code]).toEqual([404, 'not_found'])
    }
  })
})

describe('the elements of a device', () => {
  test('are replaced by the given list', async () => {
    const [kept, left, added] = [newCplc(), newCplc(), newCplc()]
    const device = await create({ cplc: [kept, left] })
    const attachedAt = device.elements.find(({ cplc }) => cplc === kept)?.attachedAt
    const changed = (await send('PUT', { id: device.id }, { cplc: [kept, added] })).json<Device>()
    expect(cplcsOf(changed)?.toSorted()).toEqual([kept, added].toSorted())
    expect(changed.elements).toContainEqual({ cplc: kept, attachedAt })
    expect(changed.revision).toBe(2)
    const other = await create({ cplc: [left] })
    expect(cplcsOf(other)).toEqual([left])
  })

  test('that another device has are refused, and nothing is changed', async () => {
    const [free, taken] = [newCplc(), newCplc()]
    const owner = await create({ cplc: [taken] })
    const device = await create()
    const response = await send('PUT', { id: device.id }, { name: 'X', cplc: [free, taken] })
    expect([response.statusCode, response.json().code]).toEqual([409, 'element_attached_elsewhere'])
    expect(response.json().detail).toContain(owner.id)
    expect(response.json().errors[0].path).toBe('cplc.1')
    expect(await read(device.id)).toEqual(device)
    const post = await send('POST', {}, { id: 'never', name: 'N', type: 'iot', cplc: [taken] })
    expect([post.statusCode, await read('never')]).toEqual([409, undefined])
  })

  test('requested by ten devices at once go to one', async () => {
    const cplc = newCplc()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => send('POST', {}, { name: 'N', type: 'iot', cplc: [cplc] })),
    )
    expect(statusesOf(answers)).toEqual([201, ...Array(9).fill(409)])
  })

  test('swapped between two devices at once never deadlock', async () => {
    const [a, b] = [newCplc(), newCplc()]
    const [one, two] = [await create({ cplc: [a] }), await create({ cplc: [b] })]
    for (let round = 0; round < 10; round++) {
      const [first, second] = round % 2 ? [a, b] : [b, a]
      const answers = await Promise.all([
        send('PUT', { id: one.id }, { cplc: [first] }),
        send('PUT', { id: two.id }, { cplc: [second] }),
      ])
      for (const { statusCode } of answers) expect([200, 409]).toContain(statusCode)
    }
  })

  test('are detached one by one, and are then free', async () => {
    const [cplc, other] = [newCplc(), newCplc()]
    const { id } = await create({ cplc: [cplc, other] })
    expect((await send('DELETE', { id, cplc: cplc.toLowerCase() })).statusCode).toBe(204)
    expect(await read(id)).toMatchObject({ state: 'pending', revision: 2 })
    expect(cplcsOf(await read(id))).toEqual([other])
    expect((await send('DELETE', { id, cplc })).statusCode).toBe(404)
    expect(cplcsOf(await create({ cplc: [cplc] }))).toEqual([cplc])
    expect((await send('GET', { q: cplc })).json().items).toHaveLength(1)
  })
})

describe('retiring a device', () => {
  test('keeps its row, and is idempotent', async () => {
    const { id } = await create()
    for (let time = 0; time < 2; time++) expect((await send('DELETE', { id })).statusCode).toBe(204)
    expect(await read(id)).toMatchObject({ state: 'retired', revision: 2 })
  })

  test('is refused for an outdated revision', async () => {
    const { id } = await create()
    const response = await send('DELETE', { id }, undefined, { 'if-match': '"7"' })
    expect([response.statusCode, (await read(id))?.state]).toEqual([409, 'pending'])
  })
})

describe('the state of a device', () => {
  const pairs = deviceStates.flatMap((from) => deviceStates.map((to) => [from, to] as const))
  test.each(pairs)('from %s to %s follows the table', async (from, to) => {
    const id = randomUUID()
    await importDevices(await maple.open(server.platform), processActor('test'), [
      {
        id,
        name: 'N',
        type: 'iot',
        state: from,
        createdAt: '2026-01-01',
        lastSeenAt: null,
        cplc: [],
      },
    ])
    const response = await send('PUT', { id }, { state: to })
    const allowed = deviceTransitions[from]
    if (from === to || allowed.includes(to)) {
      expect(response.json()).toMatchObject({ state: to, revision: from === to ? 1 : 2 })
    } else {
      expect([response.statusCode, response.json().code]).toEqual([409, 'transition_refused'])
      for (const state of allowed) expect(response.json().detail).toContain(state)
      expect((await read(id))?.state).toBe(from)
    }
  })

  test('retired is final, and people cannot set online or offline', () => {
    expect(deviceTransitions.retired).toEqual([])
    for (const targets of Object.values(deviceTransitions))
      expect(targets.filter((to) => to === 'online' || to === 'offline')).toEqual([])
  })
})

test('every change records who did what, before and after', async () => {
  const cplc = newCplc()
  const created = await create({ cplc: [cplc] })
  const { id } = created
  const updated = (await send('PUT', { id }, { name: 'B', state: 'accepted' })).json<Device>()
  await send('PUT', { id }, { state: 'online' })
  await send('DELETE', { id, cplc })
  const detached = await read(id)
  await send('DELETE', { id })
  const retired = await read(id)
  const changes = [
    ['device.update', created, updated],
    ['element.detach', updated, detached],
    ['device.retire', detached, retired],
  ] as const
  expect(await auditOf(id)).toEqual([
    { action: 'device.create', actor: adminId, before: null, after: factsOf(created) },
    ...changes.map(([action, was, is]) => {
      const [before, after] = difference(factsOf(was), factsOf(is))
      return { action, actor: adminId, before, after }
    }),
  ])
  expect(difference(detached, retired)[1]).toMatchObject({ id, name: 'B', state: 'retired' })
})

/** A device as events store it: rights belong to the moment and the reader. */
function factsOf(device: Device | undefined): object | undefined {
  if (!device) return undefined
  const { rights: _, ...facts } = device
  return facts
}

test('a device says whether it can be retired, in the list and after each change', async () => {
  const { id, rights } = await create({ state: 'accepted' })
  expect(rights).toEqual({ retire: null })
  const updated = (await send('PUT', { id }, { state: 'quarantined' })).json<Device>()
  expect([updated.rights, (await read(id))?.rights]).toEqual([{ retire: null }, { retire: null }])
  expect((await send('DELETE', { id })).statusCode).toBe(204)
  expect((await read(id))?.rights).toEqual({ retire: 'transition_refused' })
  const unchanged = (await send('PUT', { id }, { state: 'retired' })).json<Device>()
  expect(unchanged.rights).toEqual({ retire: 'transition_refused' })
})
