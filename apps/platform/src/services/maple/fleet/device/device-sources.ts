import { sql, type RawBuilder } from 'kysely'
import {
  deviceSearchLimit as searchLimit,
  deviceTypes,
  type DeviceSort,
} from '@grove/contract/maple/fleet/device.rules'
import type { Order } from '@grove/contract/page.rules'
import { inOrder, isBehind } from '../../../../core/database/define-list.ts'
import type { KeysetCursor } from '../../../../core/database/keyset.ts'
import {
  enumArray,
  hasSomeStates,
  type AttributeRange,
  type DeviceFilter,
} from './device-filter.ts'
import { firstOf, sortColumn } from './device-search.ts'
import type { MapleDb } from '../../base/tables.ts'

type Sql = RawBuilder<unknown>

interface Range {
  direction: Order
  after: KeysetCursor | undefined
  limit: number
}

/** One term of a filter: the devices that have it are one range of an index. */
export interface Source {
  /** The first of them after a cursor of the list, as `id` and `place`, in order. */
  first: (range: Range) => Sql
  /** At most this many of them in any order, if that is cheaper to count. */
  some?: (limit: number) => Sql
  /** The filter term that all of them match. */
  term?: Sql
}

/** The terms of a filter that a list can be read by; those in the list's order come first. */
export const sourcesOf = (filter: DeviceFilter, sort: DeviceSort = 'createdAt'): Source[] => [
  ...filter.ranges.map(rangeSource),
  // A product only has devices of its own service provider.
  ...(filter.productId === undefined ? [] : [productSource(filter, filter.productId)]),
  ...(filter.serviceId === undefined || filter.productId !== undefined
    ? []
    : [serviceSource(filter, filter.serviceId, sort)]),
  ...(filter.importId === undefined ? [] : [importSource(filter.importId)]),
  ...filter.terms.map(termSource),
]

const termSource = (term: Sql): Source => ({
  term,
  first: ({ after, ...range }) =>
    ofTerm(term, {
      ...range,
      after: after && { ...after, value: sql`maple.place_of(${after.value}::timestamptz)` },
    }),
})

const rangeSource = ({ key, from, to }: AttributeRange): Source => ({
  first: (range) => ofTerm(sql`${`${key}<`}`, range, sql`place between ${from} and ${to}`),
})

const ofTerm = (
  term: Sql,
  { direction, after, limit }: Omit<Range, 'after'> & { after: Parameters<typeof isBehind>[2] },
  condition = sql`true`,
): Sql => {
  const columns = [sql.ref('place'), sql.ref('device_id')] as const
  return sql`
    select device_id as id, place from maple.device_term
    where term = ${term} and ${condition} and ${isBehind(columns, direction, after)}
    order by ${inOrder(columns, direction)} limit ${sql.lit(limit)}`
}

const serviceSource = (filter: DeviceFilter, serviceId: string, sort: DeviceSort): Source => ({
  first: ({ direction, after, limit }) => {
    const columns = [
      sortColumn(sort === 'attribute' ? 'createdAt' : sort, filter),
      sql.ref('device.id'),
    ] as const
    return sql`
      select device.id, ${columns[0]} as place from maple.device as device
      where service_id = ${serviceId} and ${isBehind(columns, direction, after)}
      order by ${inOrder(columns, direction)} limit ${sql.lit(limit)}`
  },
})

const importSource = (importId: string): Source => ({
  first: ({ direction, after, limit }) => {
    const columns = [sql.ref('device.created_at'), sql.ref('device.id')] as const
    return sql`
      select device.id, created_at as place from maple.device as device
      where import_id = ${importId} and ${isBehind(columns, direction, after)}
      order by ${inOrder(columns, direction)} limit ${sql.lit(limit)}`
  },
})

/** Of each state one range of the index, merged. */
const productSource = (filter: DeviceFilter, productId: string): Source => ({
  some: (limit) => sql`
    select from maple.device as device
    where product_id = ${productId} and state = any(${enumArray('state', filter.states)})
      and ${isOfScope(filter)}
    limit ${sql.lit(limit)}`,
  first: ({ direction, after, limit }) => {
    const columns = [sql.ref('device.created_at'), sql.ref('device.id')] as const
    const merged = [sql.ref('place'), sql.ref('id')] as const
    return sql`
      select id, place from unnest(${enumArray('state', filter.states)}) as of_state,
      lateral (
        select device.id, created_at as place from maple.device as device
        where product_id = ${productId} and state = of_state
          and ${isOfScope(filter)} and ${isBehind(columns, direction, after)}
        order by ${inOrder(columns, direction)} limit ${sql.lit(limit)}
      ) as device
      order by ${inOrder(merged, direction)} limit ${sql.lit(limit)}`
  },
})

const isOfScope = ({ serviceId }: DeviceFilter): Sql =>
  serviceId === undefined ? sql`true` : sql`service_id = ${serviceId}`

/** Whether a source has the devices of the filter and no others. */
export const isOneSource = (filter: DeviceFilter): boolean =>
  sourcesOf(filter).length === 1 &&
  filter.times.length === 0 &&
  (filter.productId === undefined
    ? !hasSomeStates(filter)
    : filter.types.length === deviceTypes.length)

/** The devices of a service provider that wait to be accepted, which have an index of their own. */
const waitingSource = (serviceId: string): Source => ({
  first: ({ direction, after, limit }) => {
    const columns = [sql.ref('device.created_at'), sql.ref('device.id')] as const
    return sql`
      select device.id, created_at as place from maple.device as device
      where service_id = ${serviceId} and state = 'quarantined'
        and ${isBehind(columns, direction, after)}
      order by ${inOrder(columns, direction)} limit ${sql.lit(limit)}`
  },
})

const isOfWaiting = ({ states: [state, ...others] }: DeviceFilter): boolean =>
  state === 'quarantined' && others.length === 0

const stateSource = (filter: DeviceFilter): Source => ({
  first: ({ direction, limit }) =>
    sql`select id, key as place from (${firstOf(
      filter,
      { sort: 'createdAt', direction, limit },
      sql`true`,
    )}) as first`,
})

/** A source with few enough devices to check them all, otherwise the list's sort order. */
export async function smallestOf(
  db: MapleDb,
  filter: DeviceFilter,
  sort: DeviceSort,
): Promise<{ source: Source; isSmall: boolean }> {
  const own = sourcesOf(filter, sort)
  const [first] = own
  if (!first) throw new Error('The filter has no terms.')
  const { serviceId, productId } = filter
  const all = [...own]
  if (hasSomeStates(filter) && serviceId === undefined && productId === undefined)
    all.push(stateSource(filter))
  if (isOfWaiting(filter) && serviceId !== undefined && productId === undefined)
    all.push(waitingSource(serviceId))
  if (all.length === 1) return { source: first, isSmall: false }
  const most = { direction: 'asc', after: undefined, limit: searchLimit + 1 } as const
  const { rows } = await sql<Record<string, number>>`
    select ${sql.join(
      all.map(
        (source, at) =>
          sql`(select count(*) from (${source.first(most)}) as first) as ${sql.id(`size_${at}`)}`,
      ),
    )}
  `.execute(db)
  const sizes = all.map((_, at) => rows[0]?.[`size_${at}`] ?? 0)
  const smallest = sizes.indexOf(Math.min(...sizes))
  const source = all[smallest]
  return source && (sizes[smallest] ?? 0) <= searchLimit
    ? { source, isSmall: true }
    : { source: first, isSmall: false }
}

/** The devices of a small source, as a search has its hits. */
export const hitsOfSource = ({ first }: Source): Sql =>
  sql`select id, 0 as place from (${first({
    direction: 'asc',
    after: undefined,
    limit: searchLimit + 1,
  })}) as first`
