import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Device } from '@grove/contract/maple/fleet/device'
import { deviceSearchLimit } from '@grove/contract/maple/fleet/device.rules'
import { processActor } from '../../../../core/actor.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'
import { importDevices, type ImportedDevice } from './device-import.service.ts'

interface Page {
  items: Device[]
  next: string | null
  previous: string | null
  count?: { value: number; isCapped: boolean }
  isTruncated: boolean
}

type Sample = ImportedDevice & Required<Pick<ImportedDevice, 'tags' | 'attributes'>>

/** More than a page of several filters reads, so that common filters need several pages. */
const size = 2 * deviceSearchLimit + 500
const day = (at: number) => new Date(Date.UTC(2026, 0, 1 + (at % 40))).toISOString().slice(0, 10)
const devices: Sample[] = Array.from({ length: size }, (_, at) => ({
  id: `d-${String((at * 77) % size).padStart(5, '0')}`,
  name: `Turnstile ${at % 7}`,
  type: at % 50 === 0 ? 'boot' : 'iot',
  state: at % 3 === 0 ? 'online' : 'offline',
  createdAt: `2026-01-0${(at % 3) + 1}T10:00:0${at % 9}.00000${at % 2}Z`,
  lastSeenAt: null,
  cplc: [],
  tags: ['all', ...(at % 2 ? ['half'] : []), ...(at % 500 === 7 ? ['rare'] : [])],
  attributes: {
    floor: { type: 'number', value: (at % 41) - 5.5 },
    site: { type: 'text', value: at % 2 ? 'North, Hall \\ 3' : '3.0' },
    locked: { type: 'boolean', value: at % 4 === 0 },
    installed: { type: 'date', value: day(at) },
  },
}))
const serviceOf = (device: Sample) => (devices.indexOf(device) % 4 === 1 ? 'acme' : null)

let server: TestServer
let headers: { authorization: string }
beforeAll(async () => {
  server = await startTestServer([maple])
  headers = await server.bearer(['ADMIN'])
  const context = await maple.open(server.platform)
  await importDevices(context, processActor('test'), devices)
  await sql`insert into maple.service (id, name, name_key) values ('acme', 'Acme', 'acme')`.execute(
    context.db,
  )
  const ids = devices.filter(serviceOf).map(({ id }) => id)
  await sql`update maple.device set service_id = 'acme' where id = any(${ids})`.execute(context.db)
  await sql`analyze maple.device, maple.device_term`.execute(context.db)
})
afterAll(() => server.close())

const ask = (query: Record<string, string>) =>
  server.app.inject({ url: '/api/maple/device', query, headers })

async function list(query: Record<string, string>): Promise<Page> {
  const response = await ask(query)
  expect([response.statusCode, response.body.slice(0, 300)]).toEqual([200, expect.any(String)])
  return response.json<Page>()
}

const ids = (items: readonly { id: string }[]) => items.map(({ id }) => id)

async function walk(query: Record<string, string>, to: 'next' | 'previous', start?: string) {
  const pages: string[][] = []
  for (let cursor = start ?? ''; ;) {
    const page = await list({ ...query, ...(cursor && { cursor }) })
    pages.push(ids(page.items))
    const further = page[to]
    // A page that is neither full nor the last one reports that it ended early.
    if (further !== null && page.items.length < Number(query['limit']))
      expect(page.isTruncated).toBe(true)
    if (further === null) return { pages, last: page }
    cursor = further
  }
}

const value = (device: Sample, key: string) => device.attributes[key]?.value
const floor = (device: Sample) => Number(value(device, 'floor'))
const has = (tag: string) => (device: Sample) => device.tags.includes(tag)

const cases: [query: Record<string, string>, isFound: (device: Sample) => boolean][] = [
  [{ tag: 'all' }, () => true],
  [{ tag: ' RARE ' }, has('rare')],
  [{ tag: 'half,rare' }, (device) => has('half')(device) && has('rare')(device)],
  [{ tag: 'all,half' }, has('half')],
  [{ tag: 'nowhere' }, () => false],
  [
    { tag: 'all', state: 'online', type: 'boot' },
    ({ state, type }) => state === 'online' && type === 'boot',
  ],
  [{ attribute: 'locked=true', tag: 'half' }, () => false],
  [{ attribute: String.raw`site=North\, Hall \\ 3` }, has('half')],
  [{ attribute: 'site=3' }, (device) => !has('half')(device)],
  [{ attribute: 'floor=3.50' }, (device) => floor(device) === 3.5],
  [{ attribute: 'installed=2026-01-09' }, (device) => value(device, 'installed') === '2026-01-09'],
  [{ serviceId: 'acme' }, (device) => serviceOf(device) === 'acme'],
  [
    { serviceId: 'acme', state: 'online' },
    (device) => serviceOf(device) === 'acme' && device.state === 'online',
  ],
  [
    { serviceId: 'acme', tag: 'rare' },
    (device) => serviceOf(device) === 'acme' && has('rare')(device),
  ],
]
const ranges: typeof cases = [
  [{ attribute: 'floor>=3' }, (device) => floor(device) >= 3],
  [{ attribute: 'floor>=-2.5,floor<=-2.5' }, (device) => floor(device) === -2.5],
  [
    { attribute: 'floor<=20', tag: 'half', state: 'offline' },
    (device) => floor(device) <= 20 && has('half')(device) && device.state === 'offline',
  ],
  [
    { attribute: 'floor>=1,installed<=2026-01-15', serviceId: 'acme' },
    (device) =>
      floor(device) >= 1 &&
      String(value(device, 'installed')) <= '2026-01-15' &&
      serviceOf(device) === 'acme',
  ],
]
const all = [
  ...cases.map(([query, isFound]) => ({
    query,
    isFound,
    sort: 'createdAt',
    key: (device: Sample) => device.createdAt,
  })),
  ...ranges.map(([query, isFound]) => ({ query, isFound, sort: 'attribute', key: floor })),
]

describe.each(['asc', 'desc'])('in %s order', (order) => {
  test.each(all)('$query paged in both directions is complete', async (each) => {
    const { query: filter, isFound, sort, key } = each
    const found = devices.filter(isFound).toSorted((a, b) => {
      const [one, other] = [key(a), key(b)]
      return one < other ? -1 : one > other ? 1 : a.id < b.id ? -1 : 1
    })
    const whole = ids(order === 'asc' ? found : found.toReversed())
    const limit = String(Math.min(200, Math.max(1, Math.ceil(found.length / 3))))
    const query = { ...filter, sort, order, limit }
    const { pages, last } = await walk(query, 'next')
    expect(pages.flat()).toEqual(whole)
    if (last.previous === null) return
    const back = await walk(query, 'previous', last.previous)
    expect(back.pages.toReversed().flat()).toEqual(whole.slice(0, whole.length - last.items.length))
  })
})

test('without a sort, the list has the order required by its filters', async () => {
  const first = ids((await list({ tag: 'half', limit: '20' })).items)
  expect(first).toEqual(ids((await list({ tag: 'half', limit: '20', sort: 'createdAt' })).items))
  const floors = (await list({ attribute: 'floor>=3', limit: '50' })).items
  const values = floors.map(({ attributes }) => Number(attributes['floor']?.value))
  expect(values).toEqual(values.toSorted((a, b) => a - b))
})

test.each([
  [{ tag: 'all', sort: 'name' }, 'sort'],
  [{ attribute: 'floor>=3', sort: 'createdAt' }, 'sort'],
  [{ sort: 'attribute' }, 'sort'],
  [{ attribute: 'floor' }, 'attribute'],
  [{ attribute: 'Floor=3' }, 'attribute'],
  [{ attribute: 'floor>=high' }, 'attribute'],
  [{ attribute: 'installed<=2026-02-30' }, 'attribute'],
  [{ attribute: "floor=';drop,x" }, 'attribute'],
  [{ tag: 'a,b,c,d,e,f,g,h,i' }, 'attribute'],
  [{ serviceId: 'No Such' }, 'serviceId'],
])('refuses %o', async (query, path) => {
  const response = await ask(query)
  expect([response.statusCode, response.json().errors?.[0].path]).toEqual([400, path])
})

test('a search is limited by tag, attribute and service provider, in any order', async () => {
  const query = { q: 'd-0', tag: 'rare', attribute: 'floor>=-100', serviceId: 'acme' }
  const found = devices.filter(
    (device) => has('rare')(device) && serviceOf(device) === 'acme' && device.id.startsWith('d-0'),
  )
  const page = await list({ ...query, sort: 'id', count: 'true' })
  expect(ids(page.items)).toEqual(ids(found).toSorted())
  expect(page.count?.value).toBe(found.length)
})

test('a count says when it is not whole', async () => {
  const count = async (query: Record<string, string>) =>
    (await list({ ...query, count: 'true', limit: '1' })).count
  expect(await count({ tag: 'all' })).toEqual({ value: size, isCapped: false })
  expect(await count({ tag: 'rare,all' })).toEqual({ value: 9, isCapped: false })
  expect(await count({ tag: 'all,half' })).toMatchObject({ isCapped: true })
})

test('names with a given beginning are all found in name order, however many there are', async () => {
  const query = { q: 'turnstile 1', sort: 'name', limit: '200', order: 'desc' }
  const found = devices.filter(({ name }) => name === 'Turnstile 1')
  expect((await walk(query, 'next')).pages.flat()).toEqual(ids(found).toSorted().toReversed())
  // The search for words inside names is bounded.
  const every = await list({ q: 'turnstile', sort: 'name', count: 'true' })
  expect(every).toMatchObject({ isTruncated: true, count: { value: 2000, isCapped: true } })
})

test('the few waiting devices of a service provider are found among all of its devices', async () => {
  const own = devices.filter(serviceOf)
  const waiting = ids([own[3], own[900], own.at(-1)].flatMap((device) => device ?? []))
  const [others] = devices.filter((device) => !serviceOf(device))
  const db = server.platform.db
  const set = (state: string, of: readonly string[]) =>
    sql`update maple.device set state = ${state}::maple.device_state where id = any(${of})`.execute(
      db,
    )
  await set('quarantined', [...waiting, others?.id ?? ''])
  for (const sort of ['name', 'id', 'createdAt']) {
    const page = await list({ serviceId: 'acme', state: 'quarantined', sort, count: 'true' })
    expect([sort, page]).toMatchObject([sort, { isTruncated: false, next: null }])
    expect(ids(page.items).toSorted()).toEqual(waiting.toSorted())
    expect(page.count).toEqual({ value: 3, isCapped: false })
  }
  await set('online', [...waiting, others?.id ?? ''])
})
