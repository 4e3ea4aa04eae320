import { sql, type RawBuilder } from 'kysely'
import type { Calls, Device, QueryOf } from '@grove/contract'
import {
  deviceCountLimit as countLimit,
  deviceSearchLimit as searchLimit,
  deviceSorting,
  deviceStates,
  deviceTypes,
} from '@grove/contract/maple/device.rules'
import type { SortOf } from '@grove/contract/page.rules'
import { normalizeCplc } from '@grove/secure-element/cplc'
import { defineList, inOrder, isBehind, type ListPage } from '../../../core/database/define-list.ts'
import { deviceColumns, type DeviceFacts } from './device.queries.ts'
import { nameKey } from './name-key.ts'
import type { MapleDb } from '../tables.ts'

type DeviceQuery = QueryOf<Calls['GET /api/maple/device']>
type DeviceSort = SortOf<typeof deviceSorting>
type DevicePage = ListPage<DeviceQuery, DeviceSort>

interface DeviceFilter {
  types: readonly Device['type'][]
  states: readonly Device['state'][]
}

/** `key` is what the row is sorted by, in the database's own text. */
type DeviceRow = DeviceFacts & { key: string }

interface Count {
  value: number
  isCapped: boolean
}

const sorts = {
  name: ['name_key', 'text'],
  id: ['id_key', 'text'],
  createdAt: ['created_at', 'timestamp'],
  lastSeenAt: ['last_seen_at', 'timestamp'],
} as const
const columnOf = (sort: DeviceSort) => sql.ref(sorts[sort][0])

export const deviceList = defineList({
  name: 'device',
  sorts,
  sorting: deviceSorting,
  tiebreak: ['id', 'text'],
  keys: ({ key, id }) => [key, id],
  rows: (db: MapleDb, page: DevicePage) => {
    const { query } = page
    const filter = {
      types: chosen(deviceTypes, query.type),
      states: chosen(deviceStates, query.state),
    }
    const text = query.q?.trim()
    if (query.innerId !== undefined)
      return pageOfSearch(db, page, hitsOfInnerId(filter, query.innerId))
    if (query.id !== undefined) return pageOfSearch(db, page, hitsOfId(filter, query.id))
    if (text) return pageOfSearch(db, page, hitsOfText(filter, text))
    return pageOfAll(db, page, filter)
  },
})

/** One page of the devices of a filter. */
async function pageOfAll(db: MapleDb, page: DevicePage, filter: DeviceFilter) {
  const columns = [columnOf(page.sort), sql.ref('id')] as const
  const [{ rows }, count] = await Promise.all([
    sql<DeviceRow>`
      with page as (${firstOf(filter, page, isBehind(columns, page.direction, page.after))})
      select page.key, ${deviceColumns}
      from page join maple.device as device on device.id = page.id
      order by ${inOrder(pageColumns, page.direction)}
    `.execute(db),
    page.query.count ? countUpTo(db, filter, countLimit + 1) : undefined,
  ])
  return { rows, more: { isTruncated: false, ...counted(count, countLimit) } }
}

/** One page of what a search finds; it looks at the first matches alone, and says so. */
async function pageOfSearch(db: MapleDb, page: DevicePage, hits: RawBuilder<unknown>) {
  const { direction, after, limit } = page
  const columns = [columnOf(page.sort), sql.ref('device.id')] as const
  const { rows } = await sql<DeviceRow & { found: number }>`
    with hit as materialized (${hits}),
    candidate as materialized (
      select id, row_number() over (order by min(place), id) as rank from hit group by id
      order by rank limit ${sql.lit(searchLimit + 1)}
    ),
    page as (
      select device.id, ${columns[0]} as key
      from candidate join maple.device as device on device.id = candidate.id
      where rank <= ${sql.lit(searchLimit)} and ${isBehind(columns, direction, after)}
      order by ${inOrder(columns, direction)} limit ${sql.lit(limit)}
    )
    select (select count(*) from candidate) as found, page.key, ${deviceColumns}
    from (select) as always left join page on true
    left join maple.device as device on device.id = page.id
    order by ${inOrder(pageColumns, direction)}
  `.execute(db)
  // Without a page there is still one row, which says how much was found.
  const found = rows[0]?.found ?? 0
  return {
    rows: rows.filter((row) => row.id !== null),
    more: {
      isTruncated: found > searchLimit,
      ...counted(page.query.count ? found : undefined, searchLimit),
    },
  }
}

const pageColumns = [sql.ref('page.key'), sql.ref('page.id')] as const

const counted = (value: number | undefined, most: number): { count?: Count } =>
  value === undefined ? {} : { count: { value: Math.min(value, most), isCapped: value > most } }

/** The values named, each once, or all when none is. */
function chosen<T extends string>(all: readonly T[], list: string | undefined): readonly T[] {
  const named = list?.split(',')
  return named ? all.filter((value) => named.includes(value)) : all
}

/** How many devices a filter has, up to one more than the limit. */
async function countUpTo(db: MapleDb, filter: DeviceFilter, limit: number): Promise<number> {
  const branches = eachRange(filter, (range) => sql`(select 1 from maple.device where ${range})`)
  const { rows } = await sql<{ count: number }>`
    select count(*) from (
      select from (${sql.join(branches, sql` union all `)}) as device limit ${sql.lit(limit)}
    ) as counted
  `.execute(db)
  return rows[0]?.count ?? 0
}

/** A device by its id: what a search for nothing else finds. */
const hitsOfId = (filter: DeviceFilter, id: string) =>
  sql`select id, 0 as place from maple.device where id = ${id} and ${isOneOf(filter)}`

const hitsOfInnerId = (filter: DeviceFilter, innerId: string) =>
  sql`select id, 0 as place from maple.device
    where inner_id = ${innerId} and ${isOneOf(filter)}`

/**
 * What a search text finds: elements by whole CPLC, chip id or serial first, then the beginning of
 * ids, then of names, each in its order and each bounded, so that a broad search costs no more.
 */
function hitsOfText(filter: DeviceFilter, text: string): RawBuilder<unknown> {
  const hex = normalizeCplc(text)
  const element = /^[0-9A-F]+$/.test(hex) && elementKeys[hex.length]
  const hits = [beginning('name', nameKey(text), 20_000)]
  if (/^[\w.:-]+$/.test(text)) hits.unshift(beginning('id', text.toLowerCase(), 10_000))
  if (element)
    hits.unshift(sql`
      (select device.id, 0 as place from maple.element as element
      join maple.device as device on device.id = element.device_id
      where element.${sql.ref(element)} = ${hex} and ${isOneOf(filter)}
      limit ${sql.lit(searchLimit + 1)})`)
  return sql.join(hits, sql` union all `)

  function beginning(sort: 'name' | 'id', start: string, place: number) {
    const column = columnOf(sort)
    // Not LIKE: a pattern sent as a parameter cannot use the index. U+10FFFF is
    // no character, so no name continues with it.
    const range = sql`${column} >= ${start} and ${column} < ${start + '\u{10FFFF}'}`
    const request = { sort, direction: 'asc', limit: searchLimit + 1 } as const
    return sql`
      (select id, ${sql.lit(place)} + row_number() over (order by key, id) as place
      from (${firstOf(filter, request, range)}) as found)`
  }
}

/** How long an element's key is, in hex digits. */
const elementKeys: Record<number, string> = { 84: 'cplc', 24: 'chip_id', 8: 'serial' }

/**
 * The first rows of a filter in an order, as `id` and `key`. Each type and state is one range of
 * the order's index, and the ranges are merged: whatever the filter and page, the database reads
 * about as many index entries as it answers. One query with `in` would read and sort them all.
 */
function firstOf(
  filter: DeviceFilter,
  request: Pick<DevicePage, 'sort' | 'direction' | 'limit'>,
  condition: RawBuilder<unknown>,
) {
  const column = columnOf(request.sort)
  const limit = sql.lit(request.limit)
  const branches = eachRange(
    filter,
    (range) => sql`
      (select id, ${column} as key from maple.device where ${range} and ${condition}
      order by ${inOrder([column, sql.ref('id')], request.direction)} limit ${limit})`,
  )
  return sql`
    select id, key from (${sql.join(branches, sql` union all `)}) as merged
    order by ${inOrder([sql.ref('key'), sql.ref('id')], request.direction)} limit ${limit}`
}

function eachRange(
  { types, states }: DeviceFilter,
  branch: (range: RawBuilder<unknown>) => RawBuilder<unknown>,
) {
  return types.flatMap((type) =>
    states.map((state) => branch(sql`type = ${sql.lit(type)} and state = ${sql.lit(state)}`)),
  )
}

const isOneOf = ({ types, states }: DeviceFilter) => sql`
  type in (${sql.join(types.map((type) => sql.lit(type)))})
  and state in (${sql.join(states.map((state) => sql.lit(state)))})`
