import { sql, type RawBuilder } from 'kysely'
import type { Device } from '@grove/contract'
import {
  deviceSearchLimit as searchLimit,
  type DeviceSort,
} from '@grove/contract/maple/device.rules'
import { normalizeCplc } from '@grove/secure-element/cplc'
import type { KeysetCursor } from '../../../core/database/keyset.ts'
import { deviceColumns } from './device.queries.ts'
import { nameKey } from './name-key.ts'
import type { MapleDb } from '../tables.ts'

export interface DeviceFilter {
  types: readonly Device['type'][]
  states: readonly Device['state'][]
}

export interface PageRequest {
  filter: DeviceFilter
  sort: DeviceSort
  /** The direction to read in, which is the reverse of the list's own for a previous page. */
  direction: 'asc' | 'desc'
  /** The row to start behind. */
  after: KeysetCursor | undefined
  limit: number
}

/** `key` is what the row is sorted by, in the database's own text. */
export type DeviceRow = Device & { key: string }

const sortColumns: Record<DeviceSort, RawBuilder<unknown>> = {
  name: sql.ref('name_key'),
  id: sql.ref('id_key'),
  createdAt: sql.ref('created_at'),
  lastSeenAt: sql.ref('last_seen_at'),
}

/** One page of the devices of a filter. */
export async function pageOfAll(db: MapleDb, request: PageRequest): Promise<DeviceRow[]> {
  const { rows } = await sql<DeviceRow>`
    with page as (${inOrder(request.filter, request, behind(request))})
    select page.key, ${deviceColumns}
    from page join maple.device as device on device.id = page.id
    order by ${orderBy(request, sql.ref('page.key'), sql.ref('page.id'))}
  `.execute(db)
  return rows
}

/** One page of what a search finds, and how much it found, up to one more than it looks at. */
export async function pageOfSearch(db: MapleDb, request: PageRequest, hits: RawBuilder<unknown>) {
  const column = sortColumns[request.sort]
  const { rows } = await sql<DeviceRow & { found: number }>`
    with hit as materialized (${hits}),
    candidate as materialized (
      select id, row_number() over (order by min(place), id) as rank from hit group by id
      order by rank limit ${sql.lit(searchLimit + 1)}
    ),
    page as (
      select device.id, ${column} as key
      from candidate join maple.device as device on device.id = candidate.id
      where rank <= ${sql.lit(searchLimit)} and ${behind(request, sql.ref('device.id'))}
      order by ${orderBy(request, column, sql.ref('device.id'))} limit ${sql.lit(request.limit)}
    )
    select (select count(*) from candidate) as found, page.key, ${deviceColumns}
    from (select) as always left join page on true
    left join maple.device as device on device.id = page.id
    order by ${orderBy(request, sql.ref('page.key'), sql.ref('page.id'))}
  `.execute(db)
  // Without a page there is still one row, which says how much was found.
  return { found: rows[0]?.found ?? 0, rows: rows.filter((row) => row.id !== null) }
}

/** How many devices a filter has, up to one more than the limit. */
export async function countUpTo(db: MapleDb, filter: DeviceFilter, limit: number): Promise<number> {
  const branches = eachRange(filter, (range) => sql`(select 1 from maple.device where ${range})`)
  const { rows } = await sql<{ count: number }>`
    select count(*) from (
      select from (${sql.join(branches, sql` union all `)}) as device limit ${sql.lit(limit)}
    ) as counted
  `.execute(db)
  return rows[0]?.count ?? 0
}

/** A device by its id: what a search for nothing else finds. */
export const hitsOfId = (filter: DeviceFilter, id: string) =>
  sql`select id, 0 as place from maple.device where id = ${id} and ${isOneOf(filter)}`

/**
 * What a search text finds: elements by whole CPLC, chip id or serial first, then the beginning of
 * ids, then of names, each in its order and each bounded, so that a broad search costs no more.
 */
export function hitsOfText(filter: DeviceFilter, text: string): RawBuilder<unknown> {
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
    const column = sortColumns[sort]
    // Not LIKE: a pattern sent as a parameter cannot use the index. U+10FFFF is
    // no character, so no name goes on with it.
    const range = sql`${column} >= ${start} and ${column} < ${start + '\u{10FFFF}'}`
    const request = { sort, direction: 'asc', limit: searchLimit + 1 } as const
    return sql`
      (select id, ${sql.lit(place)} + row_number() over (order by key, id) as place
      from (${inOrder(filter, request, range)}) as found)`
  }
}

/** How long an element's key is, in hex digits. */
const elementKeys: Record<number, string> = { 84: 'cplc', 24: 'chip_id', 8: 'serial' }

/**
 * The first rows of a filter in an order, as `id` and `key`. Each type and state is one range of
 * the order's index, and the ranges are merged: whatever the filter and page, the database reads
 * about as many index entries as it answers. One query with `in` would read and sort them all.
 */
function inOrder(
  filter: DeviceFilter,
  request: Pick<PageRequest, 'sort' | 'direction' | 'limit'>,
  condition: RawBuilder<unknown>,
) {
  const column = sortColumns[request.sort]
  const limit = sql.lit(request.limit)
  const branches = eachRange(
    filter,
    (range) => sql`
      (select id, ${column} as key from maple.device where ${range} and ${condition}
      order by ${orderBy(request, column, sql.ref('id'))} limit ${limit})`,
  )
  return sql`
    select id, key from (${sql.join(branches, sql` union all `)}) as merged
    order by ${orderBy(request, sql.ref('key'), sql.ref('id'))} limit ${limit}`
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

function behind({ sort, direction, after }: PageRequest, id = sql.ref('id')) {
  if (!after) return sql`true`
  const than = sql.raw(direction === 'asc' ? '>' : '<')
  return sql`(${sortColumns[sort]}, ${id}) ${than} (${after.value}, ${after.tiebreak})`
}

function orderBy(
  { direction }: Pick<PageRequest, 'direction'>,
  column: RawBuilder<unknown>,
  id: RawBuilder<unknown>,
) {
  const order = sql.raw(direction)
  return sql`${column} ${order}, ${id} ${order}`
}
