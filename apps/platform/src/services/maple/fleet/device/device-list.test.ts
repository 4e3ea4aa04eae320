import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { processActor } from '../../../../core/actor.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Device } from '@grove/contract/maple/fleet/device'
import { deviceStates, deviceTypes } from '@grove/contract/maple/fleet/device.rules'
import { wordsOf } from '../../../../core/database/words.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'
import { importDevices, type ImportedDevice } from './device-import.service.ts'
import { nameKey } from '../../../../core/database/name-key.ts'

interface Page {
  items: Device[]
  next: string | null
  previous: string | null
  count?: { value: number; isCapped: boolean }
  isTruncated: boolean
}

const never = '0001-01-01T00:00:00.000000Z'
const cplcOf = (index: number) =>
  `4790D3214700104803006123${index.toString(16).toUpperCase().padStart(8, '0')}0648${'0'.repeat(48)}`

/** Few names and times for many devices, so that most rows tie. */
const devices: ImportedDevice[] = Array.from({ length: 240 }, (_, index) => ({
  id: `${index % 2 ? 'lock' : 'Gate'}-${String((index * 77) % 240).padStart(3, '0')}`,
  name: ['Turnstile, North Hall', 'turnstile, north hall', 'Турникет', 'ТУРНИКЕТ 2', '100% _off_'][
    index % 5
  ]!,
  type: deviceTypes[index % 4]!,
  state: deviceStates[index % 6]!,
  createdAt: `2026-01-0${(index % 3) + 1}T10:00:00.00000${index % 2}Z`,
  lastSeenAt: index % 4 === 0 ? null : `2026-02-0${(index % 2) + 1}T00:00:00.123456Z`,
  cplc: index % 3 === 0 ? [cplcOf(index)] : [],
}))

let server: TestServer
let admin: { authorization: string }
beforeAll(async () => {
  server = await startTestServer([maple])
  admin = await server.bearer(['ADMIN'])
  await importDevices(await maple.open(server.platform), processActor('test'), devices)
})
afterAll(() => server.close())

async function list(query: Record<string, string>): Promise<Page> {
  const response = await server.app.inject({
    url: '/api/maple/device',
    query,
    headers: admin,
  })
  expect([response.statusCode, query, response.body.slice(0, 200)]).toEqual([
    200,
    query,
    expect.any(String),
  ])
  return response.json<Page>()
}

const ids = (items: readonly { id: string }[]) => items.map(({ id }) => id)

/** PostgreSQL's expected order: by code points, which for these equals JavaScript's. */
const sortValue = {
  name: (device: ImportedDevice) => nameKey(device.name),
  id: (device: ImportedDevice) => device.id.toLowerCase(),
  createdAt: (device: ImportedDevice) => device.createdAt,
  lastSeenAt: (device: ImportedDevice) => device.lastSeenAt ?? never,
}

function expected(sort: keyof typeof sortValue, order: string, wanted: typeof devices) {
  const value = sortValue[sort]
  const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
  const sorted = wanted.toSorted((a, b) => compare(value(a), value(b)) || compare(a.id, b.id))
  return ids(order === 'asc' ? sorted : sorted.toReversed())
}

const filters: Record<string, string>[] = [
  {},
  { type: 'iot' },
  { state: 'online,retired' },
  { type: 'boot,default', state: 'quarantined,offline,pending' },
]
const orders = Object.keys(sortValue).flatMap((sort) =>
  ['asc', 'desc'].map((order) => ({ sort: sort as keyof typeof sortValue, order })),
)
const matches = (filter: Record<string, string>) => (device: ImportedDevice) =>
  (filter['type']?.split(',').includes(device.type) ?? true) &&
  (filter['state']?.split(',').includes(device.state) ?? true)

describe.each(orders)('a list by $sort $order', ({ sort, order }) => {
  test.each([...filters, { q: 'turn' }, { q: 'ТУРНИКЕТ', type: 'iot,boot' }])(
    'of %o paged in both directions equals the whole sort',
    async (filter) => {
      const found = devices
        .filter(matches(filter))
        .filter((device) => nameKey(device.name).startsWith(nameKey(filter['q'] ?? '')))
      expect(found.length).toBeGreaterThan(15)
      const limit = String(Math.ceil(found.length / 4) - 1)
      const query = { ...filter, sort, order, limit }
      const there: string[][] = []
      let page = await list(query)
      expect(page.previous).toBeNull()
      for (;;) {
        there.push(ids(page.items))
        if (page.next === null) break
        page = await list({ ...query, cursor: page.next })
      }
      expect(there.flat()).toEqual(expected(sort, order, found))
      const back: string[][] = [ids(page.items)]
      while (page.previous !== null) {
        page = await list({ ...query, cursor: page.previous })
        expect(page.next).not.toBeNull()
        back.unshift(ids(page.items))
      }
      expect(back).toEqual(there)
    },
  )

  test('refuses the cursor of another order', async () => {
    const other = orders.find((o) => o.sort !== sort || o.order !== order)!
    const { next } = await list({ sort: other.sort, order: other.order, limit: '1' })
    const response = await server.app.inject({
      url: '/api/maple/device',
      query: { sort, order, cursor: next! },
      headers: admin,
    })
    expect([response.statusCode, response.json().code]).toEqual([400, 'bad_cursor'])
  })
})

test('a device includes its elements, times to the microsecond, and null if it was never online', async () => {
  const [device] = (await list({ id: devices[0]!.id })).items
  expect(device).toEqual({
    id: 'Gate-000',
    innerId: null,
    productId: null,
    accountId: null,
    serviceId: null,
    tags: [],
    attributes: {},
    name: 'Turnstile, North Hall',
    type: 'iot',
    state: 'pending',
    revision: 1,
    lastSeenAt: null,
    rights: { retire: null },
    createdAt: '2026-01-01T10:00:00.000000Z',
    updatedAt: '2026-01-01T10:00:00.000000Z',
    elements: [{ cplc: cplcOf(0), attachedAt: '2026-01-01T10:00:00.000000Z' }],
  })
})

describe('a search', () => {
  const cplc = cplcOf(9)
  const owner = devices[9]!.id
  test.each([
    ['a whole CPLC', cplc],
    ['a CPLC with its tag, in lower case', `9f7f2a${cplc.toLowerCase()}`],
    ['a chip id', cplc.slice(0, 8) + cplc.slice(20, 36)],
    ['an IC serial', '00000009'],
    ['an IC serial in groups', ' 0000 0009 '],
    ['an id in other case', owner.toUpperCase()],
  ])('finds by %s', async (_, q) => {
    expect(ids((await list({ q })).items)).toEqual([owner])
  })

  test('finds by the beginning of an id and of a name together', async () => {
    const found = devices.filter(({ id }) => id.startsWith('lock-01'))
    expect(ids((await list({ q: 'LOCK-01', sort: 'id' })).items)).toEqual(
      expected('id', 'asc', found),
    )
  })

  test('finds no element of another type or state', async () => {
    const { type, state } = devices[9]!
    const q = '00000009'
    expect((await list({ q, type, state })).items).toHaveLength(1)
    const others = deviceTypes.filter((other) => other !== type).join(',')
    expect((await list({ q, type: others })).items).toHaveLength(0)
  })

  test.each([
    '%',
    '_',
    "' or 1=1 --",
    '\\',
    '100% _off_ ',
    '<b>',
    '\u{10FFFF}',
    '🏳️‍🌈',
    'שלום',
    '*',
    '0',
    'F'.repeat(84),
  ])('treats %j as text', async (q) => {
    const key = nameKey(q.trim())
    const found = devices.filter(
      ({ name }) =>
        nameKey(name).startsWith(key) ||
        (wordsOf(key).length > 0 &&
          wordsOf(key).every((word) => wordsOf(nameKey(name)).some((own) => own.startsWith(word)))),
    )
    expect((await list({ q, count: 'true' })).count).toEqual({
      value: found.length,
      isCapped: false,
    })
  })

  test('of spaces is none', async () => {
    expect((await list({ q: '  ', count: 'true' })).count).toEqual({ value: 240, isCapped: false })
  })

  test('composes decomposed input, and knows both small sigmas', () => {
    expect(nameKey('Cafe\u0301')).toBe('café')
    expect(nameKey('ΟΔΟΣΑ').startsWith(nameKey('ΟΔΟΣ'))).toBe(true)
  })
})

test('an id finds one device, but not with a filter that it does not match', async () => {
  const { id, type } = devices[5]!
  expect(ids((await list({ id, count: 'true' })).items)).toEqual([id])
  expect((await list({ id, type: type === 'iot' ? 'boot' : 'iot' })).items).toEqual([])
})

test('a count follows the filter', async () => {
  const filter = { type: 'iot,boot', state: 'pending' }
  const { count } = await list({ ...filter, count: 'true', limit: '1' })
  expect(count).toEqual({ value: devices.filter(matches(filter)).length, isCapped: false })
  expect((await list(filter)).count).toBeUndefined()
})

test('a page after the last row, and one before the first, are empty', async () => {
  const page = await list({ sort: 'id', limit: '1', order: 'desc' })
  const last = await list({ sort: 'id', limit: '200' })
  const end = await list({ sort: 'id', limit: '200', cursor: last.next! })
  expect(end.next).toBeNull()
  expect(page.items[0]!.id).toBe(end.items.at(-1)!.id)
})

test.each([
  ['type', 'iot,'],
  ['type', 'IOT'],
  ['state', 'online;retired'],
  ['sort', 'state'],
  ['limit', '201'],
  ['limit', '0'],
  ['cursor', ''],
  ['surprise', '1'],
])('refuses %s=%j and names it', async (field, value) => {
  const response = await server.app.inject({
    url: '/api/maple/device',
    query: { [field]: value },
    headers: admin,
  })
  expect(response.statusCode).toBe(400)
  expect(response.json().errors[0].path).toBe(field)
})

test('is for admins', async () => {
  for (const [roles, status] of [
    [['DEVELOPER'], 403],
    [['CUSTOMER'], 403],
    [['ADMIN'], 200],
  ] as const) {
    const headers = await server.bearer(roles)
    const response = await server.app.inject({ url: '/api/maple/device', headers })
    expect([roles, response.statusCode]).toEqual([roles, status])
  }
})

describe('an answer is compressed as the caller accepts it', () => {
  const ask = (limit: number, coding?: string) =>
    server.app.inject({
      url: '/api/maple/device',
      query: { limit: String(limit) },
      headers: { ...admin, ...(coding !== undefined && { 'accept-encoding': coding }) },
    })

  test.each([
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
  ] as const)('%s: %s', async (accepted, coding, decompress) => {
    const plain = await ask(50)
    const answer = await ask(50, accepted)
    expect(answer.headers).toMatchObject({ 'content-encoding': coding, vary: 'accept-encoding' })
    expect(Number(answer.headers['content-length'])).toBe(answer.rawPayload.length)
    expect(answer.rawPayload.length).toBeLessThan(plain.rawPayload.length / 3)
    expect(decompress(answer.rawPayload).toString()).toBe(plain.body)
  })

  test.each([
    ['nothing accepted', 50, undefined],
    ['another coding', 50, 'zstd, brr'],
    ['refused', 50, 'br;q=0, gzip;q=0.000'],
    ['short', 1, 'br'],
  ])('%s: unchanged', async (_, limit, accepted) => {
    const answer = await ask(limit, accepted)
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(answer.json().items).toHaveLength(limit)
  })
})
