import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Calls } from '@grove/contract/calls'
import type { Problem } from '@grove/contract/shapes'
import type { QueryOf } from '@grove/contract/call'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import {
  elementSorting,
  elementSortsOf,
  elementStates,
  type ElementSort,
  type ElementState,
} from '@grove/contract/maple/fleet/element.rules'
import { chipId, icSerial } from '@grove/secure-element/cplc'
import {
  explaining,
  readsOf,
  rowsRead,
  type Plan,
} from '../../../../core/testing/explained-plans.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { everything } from '../../../../core/scope.ts'
import { maple } from '../../index.ts'
import { elementList } from './element-list.queries.ts'

interface Page {
  items: SecureElement[]
  next: string | null
  previous: string | null
  count?: { value: number; isCapped: boolean }
  isTruncated: boolean
}

interface Row {
  cplc: string
  state: ElementState
  isAttached: boolean
  hsm: boolean
  assigned: string | null
  updatedAt: string
  service: string | null
}

const platforms = ['4790D321470010480300', '4790D321470010480301', '0A0B6B64470010480300'] as const
const profiles = { transit: platforms[0], pay: platforms[2], spare: null }

const hex = (value: number, digits: number) =>
  value.toString(16).toUpperCase().padStart(digits, '0')

/** Every state with and without the rest, on chips of three platforms, in no order. */
const rows: Row[] = Array.from({ length: 336 }, (_, index) => ({
  cplc: `${platforms[index % 3]!}6123${hex((index * 7919) % 65_536, 8)}${hex(index % 5, 4)}${'0'.repeat(48)}`,
  state: elementStates[index % 7]!,
  isAttached: index % 2 === 0,
  hsm: index % 4 > 1,
  assigned: index % 6 === 0 ? 'spare' : index % 6 === 1 ? 'transit' : null,
  // Some were changed at the same moment.
  updatedAt: `2026-01-${String(1 + ((index * 31) % 28)).padStart(2, '0')}T00:00:00.000000Z`,
  service: index % 5 === 0 ? 'acme' : null,
}))

let server: TestServer
let admin: { authorization: string }
/** Sees only the elements of one service provider. */
let scoped: { authorization: string }
beforeAll(async () => {
  server = await startTestServer([maple])
  admin = await server.bearer(['ADMIN'])
  const { db } = server.platform
  for (const [id, platform] of Object.entries(profiles))
    await sql`insert into maple.profile (id, name, platform)
      values (${id}, ${`The ${id}`}, ${platform})`.execute(db)
  await sql`insert into maple.device (id, name, name_key, type, state)
    values ('gate', 'Gate', 'gate', 'iot', 'pending')`.execute(db)
  await sql`insert into maple.service (id, name, name_key) values ('acme', 'Acme', 'acme')`.execute(
    db,
  )
  const holder = randomUUID()
  scoped = await server.bearer(['DEVELOPER'], holder)
  await sql`
    insert into maple.account (id, roles, service_id) values (${holder}, '{admin}', 'acme')
  `.execute(db)
  for (const { cplc, state, isAttached, hsm, assigned, updatedAt, service } of rows) {
    await sql`
      insert into maple.element (cplc, state, device_id, attached_at, has_hsm, profile_id, updated_at)
      values (${cplc}, ${state}, ${isAttached ? 'gate' : null}, ${isAttached ? '2026-01-01' : null},
        ${hsm}, ${assigned}, ${updatedAt})`.execute(db)
    await sql`update maple.element set service_id = ${service} where cplc = ${cplc}`.execute(db)
  }
})
afterAll(() => server.close())

const ask = (query: Record<string, string>, headers = admin) =>
  server.app.inject({ url: '/api/maple/se/element', query, headers })

async function list(query: Record<string, string>, headers = admin): Promise<Page> {
  const response = await ask(query, headers)
  expect([response.statusCode, query, response.body.slice(0, 200)]).toEqual([
    200,
    query,
    expect.any(String),
  ])
  return response.json<Page>()
}

const profileOf = ({ cplc, assigned }: Row) =>
  assigned ?? Object.entries(profiles).find(([, platform]) => platform === cplc.slice(0, 20))?.[0]

const matches = (filter: Record<string, string>) => (row: Row) =>
  (filter['state']?.split(',').includes(row.state) ?? true) &&
  (filter['attached'] === undefined || filter['attached'] === String(row.isAttached)) &&
  (filter['hsm'] === undefined || filter['hsm'] === String(row.hsm)) &&
  (filter['profile'] === undefined || filter['profile'] === profileOf(row)) &&
  (filter['hasProfile'] === undefined ||
    filter['hasProfile'] === String(profileOf(row) !== undefined)) &&
  row.cplc.startsWith(filter['chipType'] ?? '')

/** Each filter, absent and present, with each of the others. */
const filters = Object.entries({
  state: 'secured,blocked',
  attached: 'true',
  hsm: 'false',
  profile: 'transit',
  chipType: '4790D321',
}).reduce<Record<string, string>[]>(
  (combined, [name, value]) => combined.flatMap((each) => [each, { ...each, [name]: value }]),
  [{}],
)

/** The sort value of an element, such that string order is list order. */
const keyOf = {
  cplc: ({ cplc }) => cplc,
  chipId: ({ cplc }) => chipId(cplc),
  state: ({ state }) => String(elementStates.indexOf(state)),
  updatedAt: ({ updatedAt }) => updatedAt,
} satisfies Record<ElementSort, (row: Row) => string>

const sortedBy = (sort: ElementSort, found: readonly Row[]) =>
  found.toSorted((one, other) => {
    const [first, second] = [one, other].map((row) => `${keyOf[sort](row)} ${row.cplc}`)
    return first! < second! ? -1 : 1
  })

/** A filter as the service reads it. */
const typed = ({ attached, hsm, hasProfile, ...rest }: Record<string, string>) =>
  ({
    ...rest,
    ...(attached !== undefined && { attached: attached === 'true' }),
    ...(hsm !== undefined && { hsm: hsm === 'true' }),
    ...(hasProfile !== undefined && { hasProfile: hasProfile === 'true' }),
  }) as QueryOf<Calls['GET /api/maple/se/element']>

const cplcs = (items: readonly { cplc: string }[]) => items.map(({ cplc }) => cplc)

const more: Record<string, string>[] = [
  { profile: 'spare' },
  { profile: 'pay', hsm: 'true' },
  { profile: 'gone' },
  { hasProfile: 'true' },
  { hasProfile: 'false' },
  { hasProfile: 'false', chipType: '4790D321', state: 'secured,blocked', attached: 'true' },
  { hasProfile: 'true', profile: 'pay' },
  { hasProfile: 'false', profile: 'pay' },
]

describe.each(['asc', 'desc'])('the list in %s order', (order) => {
  test.each([...filters, ...more])(
    'of %o contains every element once in both directions, however it is sorted',
    async (filter: Record<string, string>) => {
      for (const sort of elementSortsOf(typed(filter))) {
        const found = cplcs(sortedBy(sort, rows.filter(matches(filter))))
        const limit = String(Math.max(1, Math.ceil(found.length / 3)))
        const query = { ...filter, sort, order, limit }
        const there: string[][] = []
        let page = await list(query)
        for (;;) {
          there.push(cplcs(page.items))
          if (page.next === null) break
          page = await list({ ...query, cursor: page.next })
        }
        expect([sort, ...there.flat()]).toEqual([
          sort,
          ...(order === 'asc' ? found : found.toReversed()),
        ])
        const back = [cplcs(page.items)]
        while (page.previous !== null) {
          page = await list({ ...query, cursor: page.previous })
          back.unshift(cplcs(page.items))
        }
        expect(back).toEqual(there)
        expect((await list({ ...filter, count: 'true', limit: '1' })).count).toEqual({
          value: found.length,
          isCapped: false,
        })
      }
    },
  )
})

test('a scope has only its own elements and their number, however they are filtered and sorted', async () => {
  for (const filter of [...filters, ...more])
    for (const sort of elementSortsOf(typed(filter))) {
      const own = rows.filter((row) => row.service === 'acme' && matches(filter)(row))
      const page = await list({ ...filter, sort, limit: '200', count: 'true' }, scoped)
      expect([filter, sort, cplcs(page.items)]).toEqual([filter, sort, cplcs(sortedBy(sort, own))])
      expect(page.count).toEqual({ value: own.length, isCapped: false })
    }
})

test.each([
  [{ profile: 'pay', sort: 'updatedAt' }],
  [{ chipType: '4790D321', sort: 'updatedAt' }],
  [{ hasProfile: 'false', sort: 'chipId' }],
  [{ state: 'secured', sort: 'chipId' }],
])('refuses the sort of %o, which no index serves', async (query) => {
  const response = await ask(query)
  expect(response.statusCode).toBe(400)
  expect(response.json<Problem>().errors?.[0]?.path).toBe('sort')
})

describe('a search', () => {
  const { cplc } = rows[100]!
  const byText = (text: string) => (row: Row) =>
    row.cplc.startsWith(text) ||
    (text.length > 8 && chipId(row.cplc).startsWith(text)) ||
    (text.length >= 4 && icSerial(row.cplc).startsWith(text))

  test.each([
    ['a whole CPLC', cplc],
    ['a CPLC with its tag, in lower case', `9f7f2a${cplc.toLowerCase()}`],
    ['a raw reply that was cut off', `9F7F 2A${cplc.slice(0, 40)}`],
    ['a chip id', chipId(cplc)],
    ['an IC serial', icSerial(cplc)],
    ['an IC serial in groups', ` ${icSerial(cplc).slice(0, 4)} ${icSerial(cplc).slice(4)} `],
  ])('finds by %s', async (_, q) => {
    expect(cplcs((await list({ q })).items)).toEqual([cplc])
  })

  test.each(['4', '4790D321', '4790D3216123', '0000', '0A0B6B6447'])(
    'finds everything that begins with %s, also with each filter',
    async (q) => {
      for (const filter of filters) {
        const found = cplcs(rows.filter((row) => byText(q)(row) && matches(filter)(row))).toSorted()
        const page = await list({ ...filter, q, limit: '200', count: 'true' })
        expect([filter, page.count?.value]).toEqual([filter, found.length])
        expect(cplcs(page.items)).toEqual(found.slice(0, 200))
      }
    },
  )

  test('finds by the words of a device’s name, also with each filter and page by page', async () => {
    for (const filter of filters) {
      const found = cplcs(rows.filter((row) => row.isAttached && matches(filter)(row))).toSorted()
      const page = await list({ ...filter, q: 'GAT', limit: '200', count: 'true' })
      expect([filter, page.count?.value]).toEqual([filter, found.length])
      expect(cplcs(page.items)).toEqual(found.slice(0, 200))
    }
    expect((await list({ q: 'gate two', count: 'true' })).count?.value).toBe(0)
  })

  test('is sorted like the list', async () => {
    for (const sort of elementSorting.by) {
      const found = cplcs(sortedBy(sort, rows.filter(byText('4790'))))
      const first = await list({ q: '4790', limit: '30', sort })
      const second = await list({ q: '4790', limit: '30', sort, cursor: first.next! })
      expect(cplcs([...first.items, ...second.items])).toEqual(found.slice(0, 60))
    }
  })

  test('is paged like a list', async () => {
    const first = await list({ q: '4790', limit: '30', order: 'desc' })
    const second = await list({ q: '4790', limit: '30', order: 'desc', cursor: first.next! })
    const found = cplcs(rows.filter(byText('4790')))
      .toSorted()
      .toReversed()
    expect(cplcs([...first.items, ...second.items])).toEqual(found.slice(0, 60))
  })

  test.each(['gates', '%', "' or 1=1 --", '4790 D3 xx', '🏳️‍🌈', 'F'.repeat(200)])(
    'for %j finds nothing',
    async (q) => {
      expect(await list({ q, count: 'true' })).toEqual({
        items: [],
        next: null,
        previous: null,
        isTruncated: false,
        count: { value: 0, isCapped: false },
      })
    },
  )

  test('of spaces is none', async () => {
    expect((await list({ q: '  ', count: 'true' })).count?.value).toBe(rows.length)
  })
})

test('an element names its profile, assigned manually or by the rule', async () => {
  for (const row of rows.slice(0, 12)) {
    const id = profileOf(row)
    const [item] = (await list({ cplc: row.cplc })).items
    expect(item?.profile).toEqual(
      id === undefined ? null : { id, name: `The ${id}`, isAssigned: row.assigned !== null },
    )
  }
})

test.each([
  ['state', 'online'],
  ['profile', 'no spaces'],
  ['chipType', '4790'],
  ['attached', 'maybe'],
  ['sort', 'device'],
  ['hasProfile', 'maybe'],
  ['cplc', '4790'],
  ['limit', '201'],
  ['surprise', '1'],
])('refuses %s=%j and names it', async (field, value) => {
  const response = await ask({ [field]: value })
  expect(response.statusCode).toBe(400)
  expect(response.json<Problem>().errors?.[0]?.path).toBe(field)
})

test('every filter and search reads ranges of an index, however many elements there are @long', async () => {
  const { db } = server.platform
  const tables = (await maple.open(server.platform)).db
  await sql`
    insert into maple.element (cplc, state)
    select '4790D321470010480300' || '7001' || upper(lpad(to_hex(n), 8, '0')) || '0001' || repeat('0', 48),
      'secured'
    from generate_series(1000000, 1060000) as n`.execute(db)
  await sql`vacuum (analyze) maple.element`.execute(db)
  const searches = ['4790', '4790D32170010', '0000', '00F4', 'gate'].map((q) => ({ q }))
  const asked: Record<string, string>[] = [
    ...filters,
    ...searches.flatMap((search) => filters.map((filter) => ({ ...search, ...filter }))),
  ]
  for (const filter of [...asked, ...more])
    // A search sorts its results, in either order.
    for (const sort of filter['q'] ? (['cplc'] as const) : elementSortsOf(typed(filter)))
      for (const order of ['asc', 'desc'] as const) {
        const query = { ...typed(filter), sort, order }
        const plans: Plan[] = []
        await elementList.read(
          tables.withPlugin(explaining('maple.element', plans)),
          query,
          everything,
        )
        const reads = readsOf(plans, 'element').filter(
          (node) => node['Relation Name'] === 'element',
        )
        expect([filter, sort, reads.map((node) => node['Node Type'])]).toEqual([
          filter,
          sort,
          reads.map(() => expect.stringMatching(/^(Index|Bitmap Heap)/)),
        ])
        const most = Math.max(0, ...reads.map(rowsRead))
        expect([filter, sort, order, most < 4_500]).toEqual([filter, sort, order, true])
      }
}, 120_000)
