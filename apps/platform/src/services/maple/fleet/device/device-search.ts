import { sql, type RawBuilder } from 'kysely'
import {
  deviceSearchLimit as searchLimit,
  type DeviceSort,
} from '@grove/contract/maple/fleet/device.rules'
import { hexOfCplc } from '@grove/secure-element/cplc'
import type { Order } from '@grove/contract/page.rules'
import { inOrder } from '../../../../core/database/define-list.ts'
import { beginsWith, hasWords, wordsOf } from '../../../../core/database/words.ts'
import {
  enumArray,
  isLimited,
  isOfFilter,
  isWithin,
  membersOf,
  type DeviceFilter,
  type DeviceFilterQuery,
  type TimeFilter,
} from './device-filter.ts'
import { nameKey } from '../../../../core/database/name-key.ts'
import type { MapleDb } from '../../base/tables.ts'

type Sql = RawBuilder<unknown>

/** A search: a whole id, a whole inner id, or a text. */
export interface Search {
  id?: string
  innerId?: string
  text?: string
  /** Without them, only prefixes are looked up. */
  words?: SearchWords
}

/** What a search by words looks up. */
export interface SearchWords {
  /** The word of the text that occurs in the fewest names. */
  rarest: string
  /** Whether more devices have a word than a search looks at, so that it may miss some. */
  isCommon: boolean
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

/** Of at most this many words the rarest is looked up; the others are checked in its results. */
const maxCounted = 8

/** The search with its lookup by words, among the devices of a filter's service provider. */
export async function withWords(
  db: MapleDb,
  search: Search,
  { serviceId }: DeviceFilter,
): Promise<Search> {
  const { text = '' } = search
  const typed = wordsOf(nameKey(text))
  if (typed.length === 0) return search
  const { rows } = await sql<{ word: string; count: number }>`
    select word, (
      select count(*) from (${devicesOfWord(sql.ref('typed.word'), serviceId, wordLimit + 1)}) as first
    )::integer as count
    from unnest(${[...typed.slice(0, maxCounted), ...idWordOf(text)]}::text[]) as typed (word)
    order by count, word
  `.execute(db)
  const ofName = rows.filter(({ word }) => !word.startsWith(idMark))
  const ofId = rows.filter(({ word }) => word.startsWith(idMark))
  const [rarest] = ofName
  if (!rarest) return search
  const isCommon = [rarest, ...ofId].some(({ count }) => count > wordLimit)
  return { ...search, words: { rarest: rarest.word, isCommon } }
}

/** Marks the words of ids in the table. */
const idMark = '#'

/** Text that can be part of an id is also searched in ids if it is a single word and not too short. */
function idWordOf(text: string): string[] {
  const [word = '', ...others] = wordsOf(text.toLowerCase())
  return canBeId(text) && others.length === 0 && word.length > 2 ? [`${idMark}${word}`] : []
}

/** A search looks at this many devices of a word, in the order of words. */
const wordLimit = searchLimit

function devicesOfWord(word: Sql, serviceId: string | undefined, limit: number): Sql {
  const isOfService = serviceId === undefined ? sql`true` : sql`service_id = ${serviceId}`
  return sql`
    select device_id, device_word.word from maple.device_word
    where ${isOfService} and device_word.word >= ${word} collate "C"
      and device_word.word < (${word} || ${last}) collate "C"
    order by device_word.word limit ${sql.lit(limit)}`
}

// U+10FFFF is a noncharacter, so no text continues with it.
const last = '\u{10FFFF}'

/**
 * What a search finds in addition to the prefix of `own`, as `id` and `place`: elements by whole
 * CPLC, chip id or serial and by the beginning of a CPLC first, then id prefixes, then name prefixes,
 * then words anywhere, each in its order and bounded, so that a broad search costs no more.
 */
export function hitsOf(search: Search, filter: DeviceFilter, own?: DeviceSort): Sql {
  const { id, innerId, text = '', words } = search
  if (innerId !== undefined)
    return sql`select id, 0 as place from maple.device as device where inner_id = ${innerId}`
  if (id !== undefined)
    return sql`select id, 0 as place from maple.device as device where id = ${id}`
  const hits = [sql`select null as id, 0 as place where false`]
  for (const isElement of elementsOf(text))
    hits.push(sql`
      (select device.id, 0 as place from maple.element as element
      join maple.device as device on device.id = element.device_id
      where ${isElement} and ${isOfFilter(filter)}
      limit ${sql.lit(searchLimit + 1)})`)
  if (canBeId(text) && own !== 'id') hits.push(beginning('id', 10_000))
  if (own !== 'name') hits.push(beginning('name', 20_000))
  const beginnings = sql.join(hits, sql` union all `)
  if (!words) return beginnings
  // Words are looked up only if prefixes do not suffice.
  return sql`
    with beginning as materialized (${beginnings})
    select id, place from beginning
    union all
    select id, 30000 + row_number() over (order by word, id) as place
    from (${hitsOfWords(text, words, filter)}) as found
    where (select count(*) from beginning) <= ${sql.lit(searchLimit)}`

  function beginning(sort: 'name' | 'id', place: number) {
    const request = { sort, direction: 'asc', limit: searchLimit + 1 } as const
    return sql`
      (select id, ${sql.lit(place)} + row_number() over (order by key, id) as place
      from (${firstOf(filter, request, prefixOf({ text }, sort))}) as found)`
  }
}

/**
 * The devices whose name has all searched words, or whose id contains the text, as `id` and `word`.
 */
function hitsOfWords(text: string, { rarest }: SearchWords, filter: DeviceFilter): Sql {
  const others = wordsOf(nameKey(text)).filter((word) => word !== rarest)
  const looked = (word: string) => devicesOfWord(sql`${word}::text`, filter.serviceId, wordLimit)
  const hits = [rarest, ...idWordOf(text)].map((word) => {
    const isAlone = others.length === 0 || word !== rarest
    return isAlone && !isLimited(filter)
      ? sql`(select device_id as id, word from (${looked(word)}) as looked
          limit ${sql.lit(searchLimit + 1)})`
      : sql`(
          select device.id, looked.word
          from (${looked(word)}) as looked join maple.device as device on device.id = looked.device_id
          where ${isOfFilter(filter)}
            and ${isAlone ? sql`true` : hasWords(sql`device.name_key`, others)}
          limit ${sql.lit(searchLimit + 1)})`
  })
  return sql.join(hits, sql` union all `)
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

/**
 * The parts of an element that a text can match: a CPLC or its beginning, its chip id or its serial.
 */
function elementsOf(text: string): Sql[] {
  const hex = hexOfCplc(text)
  if (!/^[0-9A-F]{8,84}$/.test(hex)) return []
  // A shorter text is the beginning of all chips of a type.
  if (hex.length === 8) return [sql`element.serial = ${hex}`]
  const isBeginning = beginsWith(sql`element.cplc`, hex)
  return hex.length === 24 ? [sql`element.chip_id = ${hex}`, isBeginning] : [isBeginning]
}

const canBeId = (text: string) => /^[\w.:-]+$/.test(text)

/** The rows whose name or id has a prefix. */
export function prefixOf({ text = '' }: Search, sort: 'name' | 'id'): Sql {
  if (sort === 'id' && !canBeId(text)) return sql`false`
  const start = sort === 'id' ? text.toLowerCase() : nameKey(text)
  return beginsWith(columnOf(sort), start)
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
  const elements = elementsOf(text).map(
    (isElement) =>
      sql`device.id in (select device_id from maple.element as element where ${isElement})`,
  )
  return sql`(${sql.join(
    [
      prefixOf({ text }, 'name'),
      prefixOf({ text }, 'id'),
      hasWords(sql`device.name_key`, wordsOf(nameKey(text))),
      hasWords(
        sql`device.id_key`,
        idWordOf(text).map((word) => word.slice(idMark.length)),
      ),
      ...elements,
    ].map((condition) => sql`(${condition})`),
    sql` or `,
  )})`
}
