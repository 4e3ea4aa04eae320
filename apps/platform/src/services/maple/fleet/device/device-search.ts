import { sql, type RawBuilder } from 'kysely'
import {
  deviceSearchLimit as searchLimit,
  type DeviceSort,
} from '@grove/contract/maple/fleet/device.rules'
import { normalizeCplc } from '@grove/secure-element/cplc'
import type { Order } from '@grove/contract/page.rules'
import { inOrder } from '../../../../core/database/define-list.ts'
import {
  enumArray,
  isOfFilter,
  isWithin,
  membersOf,
  type DeviceFilter,
  type DeviceFilterQuery,
  type TimeFilter,
} from './device-filter.ts'
import { nameKey } from '../../base/name-key.ts'

type Sql = RawBuilder<unknown>

/** A search: a whole id, a whole inner id, or a text. */
export interface Search {
  id?: string
  innerId?: string
  text?: string
}

export function searchOf({ id, innerId, q }: DeviceFilterQuery): Search | undefined {
  if (innerId !== undefined) return { innerId }
  if (id !== undefined) return { id }
  const text = q?.trim()
  return text ? { text } : undefined
}

const sortColumns = {
  name: 'name_key',
  id: 'id_key',
  createdAt: 'created_at',
  lastSeenAt: 'last_seen_at',
} as const satisfies Partial<Record<DeviceSort, string>>
type StoredSort = keyof typeof sortColumns

/** What `maple.device as device` is sorted by. */
export const sortColumn = (sort: DeviceSort, { ranges }: DeviceFilter): Sql =>
  sort === 'attribute'
    ? sql`maple.attribute_place(device.attributes, ${ranges[0]?.key ?? ''})`
    : columnOf(sort)
const columnOf = (sort: StoredSort) => sql.ref(`device.${sortColumns[sort]}`)

/**
 * What a search finds in addition to the prefix of `own`, as `id` and `place`: elements by whole
 * CPLC, chip id or serial first, then id prefixes, then name prefixes, each in its order and bounded,
 * so that a broad search costs no more.
 */
export function hitsOf(
  { id, innerId, text = '' }: Search,
  filter: DeviceFilter,
  own?: DeviceSort,
): Sql {
  if (innerId !== undefined)
    return sql`select id, 0 as place from maple.device as device where inner_id = ${innerId}`
  if (id !== undefined)
    return sql`select id, 0 as place from maple.device as device where id = ${id}`
  const hex = normalizeCplc(text)
  const element = /^[0-9A-F]+$/.test(hex) && elementKeys[hex.length]
  const hits = [sql`select null as id, 0 as place where false`]
  if (element)
    hits.push(sql`
      (select device.id, 0 as place from maple.element as element
      join maple.device as device on device.id = element.device_id
      where element.${sql.ref(element)} = ${hex} and ${isOfFilter(filter)}
      limit ${sql.lit(searchLimit + 1)})`)
  if (canBeId(text) && own !== 'id') hits.push(beginning('id', 10_000))
  if (own !== 'name') hits.push(beginning('name', 20_000))
  return sql.join(hits, sql` union all `)

  function beginning(sort: 'name' | 'id', place: number) {
    const request = { sort, direction: 'asc', limit: searchLimit + 1 } as const
    return sql`
      (select id, ${sql.lit(place)} + row_number() over (order by key, id) as place
      from (${firstOf(filter, request, prefixOf({ text }, sort))}) as found)`
  }
}

/** The devices of a list that are what a search looks for: a list has no more than a search looks at. */
export const hitsOfGroup = (groupId: string, search: Search | undefined): Sql =>
  search
    ? sql`
        select device.id, 0 as place from maple.device as device
        where device.id = any(array(${membersOf(groupId)})) and ${isFound(search)}`
    : sql`select id, 0 as place from (${membersOf(groupId)}) as member`

/** The devices of a time range, nearest to now first. */
export const hitsOfTime = (filter: DeviceFilter, { sort }: TimeFilter): Sql => sql`
  select id, row_number() over (order by key desc, id) as place
  from (${firstOf(filter, { sort, direction: 'desc', limit: searchLimit + 1 }, isWithin(filter))})
    as found`

/** How long an element's key is, in hex digits. */
const elementKeys: Record<number, string> = { 84: 'cplc', 24: 'chip_id', 8: 'serial' }

const canBeId = (text: string) => /^[\w.:-]+$/.test(text)

/** The rows whose name or id has a prefix. */
export function prefixOf({ text = '' }: Search, sort: 'name' | 'id'): Sql {
  if (sort === 'id' && !canBeId(text)) return sql`false`
  const start = sort === 'id' ? text.toLowerCase() : nameKey(text)
  // Not LIKE: a pattern sent as a parameter cannot use the index. U+10FFFF is a noncharacter, so no
  // name continues with it.
  return sql`${columnOf(sort)} >= ${start} and ${columnOf(sort)} < ${start + '\u{10FFFF}'}`
}

/**
 * The first rows of a filter's types and states in an order, as `id` and `key`. Each type and state
 * is one range of the order's index, and the ranges are merged: whatever the filter and page, the
 * database reads about as many index entries as it returns. One query with `in` would read and sort
 * them all; a `union` would be planned range by range.
 */
export function firstOf(
  filter: DeviceFilter,
  { sort, direction, limit }: { sort: DeviceSort; direction: Order; limit: number },
  condition: Sql,
): Sql {
  const columns = [sortColumn(sort, filter), sql.ref('device.id')] as const
  // The devices of one service provider are one range in each order.
  if (filter.serviceId !== undefined)
    return sql`
      select device.id, ${columns[0]} as key from maple.device as device
      where device.service_id = ${filter.serviceId} and ${condition}
      order by ${inOrder(columns, direction)} limit ${sql.lit(limit)}`
  return sql`
    select id, key from ${pairsOf(filter)}, lateral (
      select device.id, ${columns[0]} as key from maple.device as device
      where device.type = pair_type and device.state = pair_state and ${condition}
      order by ${inOrder(columns, direction)} limit ${sql.lit(limit)}
    ) as first
    order by ${inOrder([sql.ref('key'), sql.ref('id')], direction)} limit ${sql.lit(limit)}`
}

/** Each type with each state of a filter, as `pair_type` and `pair_state`. */
export const pairsOf = ({ types, states }: DeviceFilter): Sql => sql`
  unnest(${enumArray('type', types)}) as pair_type,
  unnest(${enumArray('state', states)}) as pair_state`

/**
 * Whether `maple.device as device` matches the search: among all devices, not only the first ones.
 */
export function isFound({ id, innerId, text = '' }: Search): Sql {
  if (innerId !== undefined) return sql`device.inner_id = ${innerId}`
  if (id !== undefined) return sql`device.id = ${id}`
  const hex = normalizeCplc(text)
  const element = /^[0-9A-F]+$/.test(hex) && elementKeys[hex.length]
  return sql`((${prefixOf({ text }, 'name')}) or (${prefixOf({ text }, 'id')}) or ${
    element
      ? sql`device.id in (
          select device_id from maple.element as element where element.${sql.ref(element)} = ${hex})`
      : sql`false`
  })`
}
