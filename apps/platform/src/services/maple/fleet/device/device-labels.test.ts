import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Device } from '@grove/contract/maple/fleet/device'
import { maxTagLength, maxAttributes, maxTags } from '@grove/contract/maple/fleet/device.rules'
import {
  explaining,
  readsOf,
  rowsRead,
  type Plan,
} from '../../../../core/testing/explained-plans.ts'
import { resourceClient } from '../../../../core/testing/resource-client.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'
import { labelsOfAll } from './device-label.queries.ts'

let server: TestServer
let devices: ReturnType<typeof resourceClient<Device>>
let admin: { authorization: string }
beforeAll(async () => {
  server = await startTestServer([maple])
  admin = await server.bearer(['ADMIN'])
  devices = resourceClient(server, '/api/maple/device', admin)
})
afterAll(() => server.close())

const create = (body: object = {}) => devices.create({ name: 'Turnstile', type: 'iot', ...body })
const put = (id: string, body: object) => devices.send('PUT', { id }, body)

/** The terms that lists read, each with its place. */
async function termsOf(id: string) {
  const { db } = await maple.open(server.platform)
  const { rows } = await sql<{ term: string; place: number }>`
    select term, place from maple.device_term where device_id = ${id} order by term
  `.execute(db)
  return rows
}
const placeOf = ({ createdAt }: Device) =>
  Date.parse(createdAt) * 1000 + Number(createdAt.slice(-4, -1))

const attributes = {
  site: { type: 'text', value: 'North Hall' },
  floor: { type: 'number', value: 3 },
  locked: { type: 'boolean', value: false },
  installed: { type: 'date', value: '2026-03-01' },
}

test('tags and attributes are stored and returned in one form', async () => {
  const given = {
    tags: [' North  Hall ', 'BATTERY', 'north hall', 'Ёлка'],
    attributes: { ...attributes, site: { type: 'text', value: '  North   Hall ' } },
  }
  const device = await create(given)
  expect(device).toMatchObject({ tags: ['battery', 'north hall', 'ёлка'], attributes })
  const { items } = (await devices.send('GET', { id: device.id })).json<{ items: Device[] }>()
  expect(items).toEqual([device])
})

test('a device without them has none', async () => {
  expect(await create()).toMatchObject({ tags: [], attributes: {} })
})

test('a change replaces them, keeps omitted ones, and records the difference', async () => {
  const { id } = await create({ tags: ['a', 'b'], attributes })
  const tagged = (await put(id, { tags: ['b', 'C'] })).json<Device>()
  expect(tagged).toMatchObject({ revision: 2, tags: ['b', 'c'], attributes })
  const floor = { type: 'number', value: 4.5 }
  await put(id, { attributes: { ...attributes, floor } })
  const [, tagEvent, attributeEvent] = await devices.eventsOf(id)
  expect(tagEvent).toMatchObject({ before: { tags: ['a', 'b'] }, after: { tags: ['b', 'c'] } })
  expect(attributeEvent).toMatchObject({
    before: { attributes: { floor: { value: 3 } } },
    after: { attributes: { floor: { value: 4.5 } } },
  })
  expect(attributeEvent?.after).not.toHaveProperty('attributes.site')
})

test('the same tags in another order and case change nothing', async () => {
  const device = await create({ tags: ['a', 'b'], attributes })
  expect((await put(device.id, { tags: ['B', 'A', 'a'], attributes })).json()).toEqual(device)
})

test('the terms that lists read follow each change', async () => {
  const device = await create({ tags: ['north'], attributes })
  const [{ id }, place] = [device, placeOf(device)]
  expect(await termsOf(id)).toEqual([
    { term: '#north', place },
    { term: 'floor<', place: 3 },
    { term: 'floor=3', place },
    { term: 'installed<', place: Date.parse('2026-03-01') / 86_400_000 },
    { term: 'installed=2026-03-01', place },
    { term: 'locked=false', place },
    { term: 'site=North Hall', place },
  ])
  await put(id, {
    tags: ['south', 'north'],
    attributes: { floor: { type: 'number', value: -0.5 } },
  })
  expect(await termsOf(id)).toEqual([
    { term: '#north', place },
    { term: '#south', place },
    { term: 'floor<', place: -0.5 },
    { term: 'floor=-0.5', place },
  ])
  await put(id, { tags: [], attributes: {} })
  expect(await termsOf(id)).toEqual([])
})

test('a device is assigned to an active service provider, and removed from it', async () => {
  const services = resourceClient(server, '/api/maple/service', admin)
  for (const id of ['acme', 'closed']) await services.create({ id, name: id })
  const device = await create({ serviceId: 'acme' })
  expect(device.serviceId).toBe('acme')
  await services.send('PUT', { id: 'closed' }, { state: 'suspended' })
  const refusal = (body: object) => devices.refusal('PUT', { id: device.id }, body)
  expect(await refusal({ serviceId: 'closed' })).toEqual([409, 'service_suspended', 'serviceId'])
  expect(await refusal({ serviceId: 'nobody' })).toEqual([400, 'invalid_request', 'serviceId'])
  expect(await services.refusal('DELETE', { id: 'acme' })).toMatchObject([409, 'service_in_use'])
  // It keeps its provider, suspended or not.
  await services.send('PUT', { id: 'acme' }, { state: 'suspended' })
  const kept = await put(device.id, { serviceId: 'acme', name: 'Renamed' })
  expect(kept.json()).toMatchObject({ serviceId: 'acme', name: 'Renamed' })
  expect((await put(device.id, { serviceId: null })).json()).toMatchObject({ serviceId: null })
  expect((await devices.eventsOf(device.id)).at(-1)).toMatchObject({
    before: { serviceId: 'acme' },
    after: { serviceId: null },
  })
  expect((await services.send('DELETE', { id: 'acme' })).statusCode).toBe(204)
})

describe('refused, with the field', () => {
  const attribute = (value: object) => ({ attributes: { floor: value } })
  test.each([
    ['tags.0', { tags: ['a,b'] }],
    ['tags.0', { tags: ['  '] }],
    ['tags.0', { tags: [`gnp\u202eexe`] }],
    ['tags.0', { tags: ['x'.repeat(maxTagLength + 1)] }],
    ['tags', { tags: Array.from({ length: maxTags + 1 }, (_, at) => `t${at}`) }],
    ['attributes.floor.value', attribute({ type: 'number', value: '3' })],
    ['attributes.floor.value', attribute({ type: 'text', value: 3 })],
    ['attributes.floor.value', attribute({ type: 'text', value: ' ' })],
    ['attributes.floor.value', attribute({ type: 'boolean', value: 'true' })],
    ['attributes.floor.value', attribute({ type: 'date', value: '2026-02-30' })],
    ['attributes.floor.value', attribute({ type: 'date', value: '2026-03-01T00:00:00Z' })],
    ['attributes.floor.value', attribute({ type: 'text', value: 'x'.repeat(201) })],
    ['attributes.floor.type', attribute({ type: 'json', value: 'x' })],
    ['attributes.floor.unit', attribute({ type: 'number', value: 3, unit: 'm' })],
    ['attributes.Floor', { attributes: { Floor: { type: 'number', value: 3 } } }],
    ['attributes.a-b', { attributes: { 'a-b': { type: 'number', value: 3 } } }],
    [
      'attributes',
      {
        attributes: Object.fromEntries(
          Array.from({ length: maxAttributes + 1 }, (_, at) => [
            `a${at}`,
            { type: 'number', value: at },
          ]),
        ),
      },
    ],
  ])('%s of %j', async (path, body) => {
    const response = await devices.send('POST', {}, { name: 'N', type: 'iot', ...body })
    expect([response.statusCode, response.json().errors?.[0].path]).toEqual([400, path])
  })
})

describe('the labels to choose from', () => {
  const labels = async (query: Record<string, string>, headers = admin) => {
    const answer = await server.app.inject({ url: '/api/maple/device/label', query, headers })
    return answer.json<{ items: string[] }>().items
  }

  test('are each named once, in order, and begin with the text', async () => {
    const attributesOf = (...keys: string[]) =>
      Object.fromEntries(keys.map((key) => [key, { type: 'number', value: 3 }]))
    await create({ tags: ['zeta', 'zeta 2'], attributes: attributesOf('zfloor', 'zfloor2') })
    await create({ tags: ['zeta'], attributes: attributesOf('zfloor', 'zfloor_x', 'zz') })
    expect(await labels({ kind: 'tag', q: 'ZE' })).toEqual(['zeta', 'zeta 2'])
    expect(await labels({ kind: 'attribute', q: 'z' })).toEqual([
      'zfloor2',
      'zfloor',
      'zfloor_x',
      'zz',
    ])
    expect(await labels({ kind: 'attribute', q: 'zfloor' })).toHaveLength(3)
    const all = await labels({ kind: 'attribute' })
    expect(all).toEqual(expect.arrayContaining(['site', 'zz']))
    expect(new Set(all).size).toBe(all.length)
    for (const q of ['#', 'Z', '1']) expect(await labels({ kind: 'attribute', q })).toEqual([])
  })

  test('of a service provider are only its own', async () => {
    const { db } = await maple.open(server.platform)
    for (const id of ['acme', 'umbra'])
      await sql`insert into maple.service (id, name, name_key) values (${id}, ${id}, ${id})`.execute(
        db,
      )
    await create({ serviceId: 'acme', tags: ['y-acme'], attributes })
    await create({ serviceId: 'umbra', tags: ['y-umbra'] })
    const id = randomUUID()
    await resourceClient(server, '/api/maple/account', admin).create({
      id,
      roles: ['viewer'],
      serviceId: 'acme',
    })
    const viewer = await server.bearer(['DEVELOPER'], id)
    expect(await labels({ kind: 'tag' }, viewer)).toEqual(['y-acme'])
    expect(await labels({ kind: 'attribute' }, viewer)).toEqual(Object.keys(attributes).toSorted())
    expect(await labels({ kind: 'tag', q: 'y-' })).toEqual(['y-acme', 'y-umbra'])
  })

  test('cost one look-up each, however many devices have them', async () => {
    const { db } = await maple.open(server.platform)
    await sql`
      insert into maple.device_term (term, place, device_id)
      select '#x' || n % 3, n, 'x' || n from generate_series(1, 3000) as n
    `.execute(db)
    await sql`analyze maple.device_term`.execute(db)
    const plans: Plan[] = []
    await labelsOfAll(db.withPlugin(explaining('maple.device_term', plans)), {
      kind: 'tag',
      beginning: 'x',
    })
    const reads = readsOf(plans, 'device_term')
    expect(reads.length).toBeGreaterThan(0)
    for (const read of reads) expect(rowsRead(read)).toBeLessThan(10)
  })
})
