import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import { encodeCursor } from '../../../apps/platform/src/core/database/keyset.ts'
import type { ImportedDevice } from '../../../apps/platform/src/services/maple/fleet/device/device-import.service.ts'
import { nameKey } from '../../../apps/platform/src/core/database/name-key.ts'

type Query = QueryOf<Calls['GET /api/maple/device']>
type Sort = Exclude<NonNullable<Query['sort']>, 'attribute'>
type Order = NonNullable<Query['order']>

/**
 * A group of similar calls: another device each time, so that no sample hits the previous one's rows.
 */
export interface ListCase {
  family: string
  name: string
  query: (device: ImportedDevice) => Query
}

const filters = {
  'no filter': {},
  'common type': { type: 'iot' },
  'rare state': { state: 'quarantined' },
  'rare type and state': { type: 'boot', state: 'quarantined' },
  'several of each': { type: 'iot,virtual,default', state: 'online,offline,retired' },
} as const satisfies Record<string, Query>

/** These are sorted by a single column. */
const labels = {
  'common tag': { tag: 'north' },
  'rare tag': { tag: 'spare' },
  'two tags': { tag: 'north,pilot' },
  attribute: { attribute: 'model=T-100' },
  'range of an attribute': { attribute: 'floor>=9' },
  'tag and attribute': { tag: 'north', attribute: 'model=G-1' },
  'service provider': { serviceId: 'parkwise' },
  'service provider, rare state': { serviceId: 'parkwise', state: 'quarantined' },
  'service provider and tag': { serviceId: 'parkwise', tag: 'north' },
  'seen within a day': { seen: 'day', sort: 'lastSeenAt', order: 'desc' },
  'never seen': { seen: 'never', sort: 'lastSeenAt' },
  'seen long ago, by name': { seen: 'older' },
} as const satisfies Record<string, Query>

const sorts: Sort[] = ['name', 'id', 'createdAt', 'lastSeenAt']
const orders: Order[] = ['asc', 'desc']

const searches: Record<string, (device: ImportedDevice) => Query> = {
  'one letter': ({ name }) => ({ q: name.slice(0, 1) }),
  'beginning of a name': ({ name }) => ({ q: name.slice(0, 8) }),
  'whole name': ({ name }) => ({ q: name }),
  'beginning of an id': ({ id }) => ({ q: id.slice(0, 6) }),
  'whole id': ({ id }) => ({ q: id }),
  CPLC: ({ cplc, id }) => ({ q: cplc[0] ?? id }),
  'chip id': ({ cplc: [cplc], id }) => ({ q: cplc ? cplc.slice(0, 8) + cplc.slice(20, 36) : id }),
  'IC serial': ({ cplc, id }) => ({ q: cplc[0]?.slice(24, 32) ?? id }),
  nothing: () => ({ q: 'no such device' }),
  'id alone': ({ id }) => ({ id }),
}

/** The measured mix: pages of filters and sorts, counts, and searches. */
export function listCases(): ListCase[] {
  return [...pages(), ...longPages(), ...labelled(), ...counts(), ...searched()]
}

function pages(): ListCase[] {
  return each(filters).flatMap(([filterName, filter]) =>
    sorts.flatMap((sort) =>
      orders.flatMap((order) => {
        const view = { ...filter, sort, order, limit: 50 }
        const name = `${filterName}, ${sort} ${order}`
        return [
          { family: 'first page', name, query: () => view },
          { family: 'deep page', name, query: (device) => behind(device, view, 'next') },
          { family: 'page backwards', name, query: (device) => behind(device, view, 'previous') },
        ] satisfies ListCase[]
      }),
    ),
  )
}

const longPages = (): ListCase[] =>
  sorts.map((sort) => ({
    family: 'deep page of 200',
    name: `no filter, ${sort} asc`,
    query: (device) => behind(device, { sort, order: 'asc', limit: 200 }, 'next'),
  }))

const labelled = (): ListCase[] =>
  each<Query>(labels).flatMap(([name, filter]) => [
    { family: 'label: first page', name, query: () => ({ ...filter, limit: 50 }) },
    { family: 'label: with count', name, query: () => ({ ...filter, limit: 50, count: true }) },
  ])

const counts = (): ListCase[] =>
  each(filters).map(([name, filter]) => ({
    family: 'first page with count',
    name,
    query: () => ({ ...filter, limit: 50, count: true }),
  }))

function searched(): ListCase[] {
  const views: Record<string, Query> = {
    'by name': {},
    'by lastSeenAt desc, with count': { sort: 'lastSeenAt', order: 'desc', count: true },
    'common type': { type: 'iot' },
    'rare type and state': { ...filters['rare type and state'] },
  }
  return each(searches).flatMap(([searchName, search]) =>
    each(views).map(([viewName, view]) => ({
      family: `search: ${searchName}`,
      name: viewName,
      query: (device) => ({ ...view, ...search(device), limit: 50 }),
    })),
  )
}

/** The page after a device's position, as if a person had paged there. */
function behind(
  device: ImportedDevice,
  view: { sort: Sort; order: Order; limit: number },
  direction: 'next' | 'previous',
): Query {
  const { sort, order } = view
  const isTime = sort === 'createdAt' || sort === 'lastSeenAt'
  const keyset = {
    name: `device ${sort} ${order}`,
    value: isTime ? 'timestamp' : 'text',
    tiebreak: 'text',
  } as const
  return {
    ...view,
    cursor: encodeCursor(keyset, { value: keyOf(device, sort), tiebreak: device.id, direction }),
  }
}

function keyOf(device: ImportedDevice, sort: Sort): string {
  switch (sort) {
    case 'name':
      return nameKey(device.name)
    case 'id':
      return device.id.toLowerCase()
    case 'createdAt':
      return microseconds(device.createdAt)
    case 'lastSeenAt':
      return microseconds(device.lastSeenAt ?? '0001-01-01T00:00:00.000Z')
  }
}

const microseconds = (time: string) => time.replace(/Z$/, '000Z')

const each = <T>(record: Record<string, T>): [string, T][] => Object.entries(record)
