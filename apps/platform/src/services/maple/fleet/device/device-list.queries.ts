import { sql, type RawBuilder } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import {
  deviceCountLimit as countLimit,
  deviceLookLimit as lookLimit,
  deviceSearchLimit as searchLimit,
  deviceSorting,
  type DeviceSort,
} from '@grove/contract/maple/fleet/device.rules'
import {
  defineList,
  inOrder,
  isBehind,
  type ListPage,
} from '../../../../core/database/define-list.ts'
import { everything } from '../../../../core/scope.ts'
import { tallyOf } from '../../base/tally.queries.ts'
import {
  filterOf,
  hasSomeStates,
  isOfFilter,
  type DeviceFilter,
  isWithin,
} from './device-filter.ts'
import {
  firstOf,
  hitsOf,
  hitsOfGroup,
  pairsOf,
  prefixOf,
  searchOf,
  sortColumn,
  withWords,
  type Search,
  hitsOfTime,
} from './device-search.ts'
import { hitsOfSource, isOneSource, smallestOf, sourcesOf, type Source } from './device-sources.ts'
import { deviceColumns, type DeviceFacts } from './device.queries.ts'
import type { MapleDb } from '../../base/tables.ts'

type Sql = RawBuilder<unknown>
type DeviceQuery = QueryOf<Calls['GET /api/maple/device']>
type DevicePage = ListPage<DeviceQuery, DeviceSort>

/** `key` is the row's sort value, as database text. */
type DeviceRow = DeviceFacts & { key: string | number }

interface Count {
  value: number
  isCapped: boolean
}

export const deviceList = defineList({
  name: 'device',
  sorts: {
    name: ['name_key', 'text'],
    id: ['id_key', 'text'],
    createdAt: ['created_at', 'timestamp'],
    lastSeenAt: ['last_seen_at', 'timestamp'],
    attribute: ['', 'number'],
  },
  sorting: deviceSorting,
  tiebreak: ['id', 'text'],
  keys: ({ key, id }) => [String(key), id],
  rows: async (db: MapleDb, page: DevicePage, now: number) => {
    const filter = filterOf(page.query, now)
    const search = searchOf(page.query)
    const sources = sourcesOf(filter)
    const { sort } = page
    const { groupId } = filter
    if (groupId !== undefined)
      return pageOfHits(db, page, { ...filter, groupId: undefined }, hitsOfGroup(groupId, search))
    const [time, ...otherTimes] = filter.times
    const isAlone = sources.length === 0 && time === undefined
    if (search) {
      const ready = await withWords(db, search, filter)
      return isAlone && search.text !== undefined && (sort === 'name' || sort === 'id')
        ? pageOfPrefix(db, page, filter, { ...ready, sort })
        : pageOfHits(db, page, filter, hitsOf(ready, filter), ready.words?.isCommon)
    }
    // In another order than that of the time, its devices are not one range of an index.
    if (sources.length === 0)
      return time === undefined || (time.sort === sort && otherTimes.length === 0)
        ? pageOfAll(db, page, filter)
        : pageOfHits(db, page, filter, hitsOfTime(filter, time))
    const { source, isSmall } = await smallestOf(db, filter, sort)
    return isSmall
      ? pageOfHits(db, page, filter, hitsOfSource(source))
      : pageOfSource(db, page, filter, source)
  },
})

/** One page of the devices of a filter. */
async function pageOfAll(db: MapleDb, page: DevicePage, filter: DeviceFilter) {
  const columns = [sortColumn(page.sort, filter), sql.ref('device.id')] as const
  const behind = isBehind(columns, page.direction, page.after)
  const [{ rows }, count] = await Promise.all([
    sql<DeviceRow>`
      with page as (${firstOf(filter, page, sql`${behind} and ${isWithin(filter)}`)})
      ${rowsOfPage(page)}
    `.execute(db),
    page.query.count ? countOf(db, filter) : undefined,
  ])
  return { rows, more: { isTruncated: false, ...(count && { count }) } }
}

/**
 * One page of a search, complete and in its natural order: one range per type and state. Devices
 * found in another way are added, only the first of them.
 */
async function pageOfPrefix(
  db: MapleDb,
  page: DevicePage,
  filter: DeviceFilter,
  { sort, ...search }: Search & { sort: 'name' | 'id' },
) {
  const { direction, after, limit } = page
  const columns = [sortColumn(sort, filter), sql.ref('device.id')] as const
  const behind = isBehind(columns, direction, after)
  const range = prefixOf(search, sort)
  const others = hitsOf(search, filter, sort)
  const own = (request: { limit: number }, condition: Sql) =>
    firstOf(filter, { ...request, sort, direction }, sql`${range} and ${condition}`)
  const { rows } = await sql<DeviceRow & { found: number; count: number }>`
    with other as materialized (select distinct id from (${others}) as hit),
    page as (
      select id, key from (
        (${own({ limit }, behind)})
        union
        (select device.id, ${columns[0]} as key
        from other join maple.device as device on device.id = other.id
        where ${behind} order by ${inOrder(columns, direction)} limit ${sql.lit(limit)})
      ) as merged
      order by ${inOrder([sql.ref('key'), sql.ref('id')], direction)} limit ${sql.lit(limit)}
    ),
    counted as (
      select (select count(*) from other) as found, ${
        page.query.count
          ? sql`(select count(*) from (
              select from ${pairsOf(filter)}, lateral (
                select from maple.device as device
                where type = pair_type and state = pair_state and ${range}
              ) as device limit ${sql.lit(searchLimit + 1)}) as first)
            + (select count(*) from other join maple.device as device on device.id = other.id
              where not (${range}))`
          : sql`0`
      } as count
    )
    select counted.found, counted.count, page.key, ${deviceColumns}
    from counted left join page on true left join maple.device as device on device.id = page.id
    order by ${inOrder(pageColumns, direction)}
  `.execute(db)
  const { found = 0, count = 0 } = rows[0] ?? {}
  return {
    rows: rows.filter((row) => row.id !== null),
    more: {
      isTruncated: found > searchLimit || search.words?.isCommon === true,
      ...counted(page.query.count ? count : undefined, searchLimit),
    },
  }
}

/** One page among the first hits; only these are searched, which is reported. */
async function pageOfHits(
  db: MapleDb,
  page: DevicePage,
  filter: DeviceFilter,
  hits: Sql,
  hasMore = false,
) {
  const { direction, after, limit } = page
  const columns = [sortColumn(page.sort, filter), sql.ref('device.id')] as const
  const { rows } = await sql<DeviceRow & { found: number; count: number }>`
    with hit as materialized (${hits}),
    candidate as materialized (
      select id, row_number() over (order by min(place), id) as rank from hit group by id
      order by rank limit ${sql.lit(searchLimit + 1)}
    ),
    match as materialized (
      select device.id, ${columns[0]} as key
      from candidate join maple.device as device on device.id = candidate.id
      where rank <= ${sql.lit(searchLimit)} and ${isOfFilter(filter)}
    ),
    page as (
      select id, key from match as device
      where ${isBehind(pageColumnsOf('device'), direction, after)}
      order by ${inOrder(pageColumnsOf('device'), direction)} limit ${sql.lit(limit)}
    )
    select (select count(*) from candidate) as found, (select count(*) from match) as count,
      page.key, ${deviceColumns}
    from (select) as always left join page on true
    left join maple.device as device on device.id = page.id
    order by ${inOrder(pageColumns, direction)}
  `.execute(db)
  // An empty page still has one row, with the number of hits.
  const { found = 0, count = 0 } = rows[0] ?? {}
  const isTruncated = hasMore || found > searchLimit
  return {
    rows: rows.filter((row) => row.id !== null),
    more: {
      isTruncated,
      ...(page.query.count && { count: { value: count, isCapped: isTruncated } }),
    },
  }
}

/**
 * One page of a filter in the order of one of its terms: a range of that term's index, without the
 * devices that the other terms exclude. It reads a limited number of devices; the next page continues
 * there.
 */
async function pageOfSource(db: MapleDb, page: DevicePage, filter: DeviceFilter, source: Source) {
  const { direction, limit } = page
  const isAll = isOneSource(filter)
  const matches = isAll ? sql`true` : isOfFilter(filter, source.term)
  const places = [sql.ref('looked.place'), sql.ref('looked.id')] as const
  const look = (most: number, after: DevicePage['after']) => sql`
    select looked.id, looked.place, looked.rank, ${sortColumn(page.sort, filter)} as key,
      (${matches}) as "isMatch"
    from (
      select id, place,
        row_number() over (order by ${inOrder([sql.ref('place'), sql.ref('id')], direction)}) as rank
      from (${source.first({ direction, after, limit: most })}) as first
    ) as looked
    cross join lateral (select * from maple.device where id = looked.id offset 0) as device`
  const [{ rows: read }, count] = await Promise.all([
    sql<DeviceRow & { rank: number; isMatch: boolean }>`
      with page as (
        ${look(lookLimit, page.after)}
        where ${matches} or looked.rank = ${sql.lit(lookLimit)}
        order by ${inOrder(places, direction)} limit ${sql.lit(limit)}
      )
      select page.rank, page."isMatch", page.key, ${deviceColumns}
      from page join maple.device as device on device.id = page.id order by page.rank
    `.execute(db),
    page.query.count
      ? sql<{ looked: number; count: number }>`
          select count(*) as looked, count(*) ${isAll ? sql`` : sql`filter (where "isMatch")`} as count
          from (${
            isAll
              ? (source.some?.(countLimit + 1) ??
                source.first({ direction, after: undefined, limit: countLimit + 1 }))
              : look(lookLimit, undefined)
          }) as counted`.execute(db)
      : undefined,
  ])
  const rows = read.filter(({ isMatch }) => isMatch)
  const last = read.at(-1)
  const stoppedAt = rows.length < limit && last?.rank === lookLimit ? last : undefined
  const { looked = 0, count: value } = count?.rows[0] ?? {}
  return {
    rows,
    stoppedAt,
    more: {
      isTruncated: stoppedAt !== undefined,
      ...(isAll
        ? counted(value, countLimit)
        : value !== undefined && { count: { value, isCapped: looked >= lookLimit } }),
    },
  }
}

const pageColumnsOf = (table: string) => [sql.ref(`${table}.key`), sql.ref(`${table}.id`)] as const
const pageColumns = pageColumnsOf('page')

const rowsOfPage = ({ direction }: DevicePage) => sql`
  select page.key, ${deviceColumns}
  from page join maple.device as device on device.id = page.id
  order by ${inOrder(pageColumns, direction)}`

const counted = (value: number | undefined, most: number): { count?: Count } =>
  value === undefined ? {} : { count: { value: Math.min(value, most), isCapped: value > most } }

/** The number of devices of a filter: all if the tally knows, otherwise up to the limit. */
async function countOf(db: MapleDb, filter: DeviceFilter): Promise<Count> {
  const { types, states, times } = filter
  const [time] = times
  if (time && hasSomeStates(filter)) {
    const count = await countUpTo(db, filter, countLimit + 1)
    return { value: Math.min(count, countLimit), isCapped: count > countLimit }
  }
  const groups = types.flatMap((type) => states.map((state) => `${type} ${state}`))
  const [subject, keys] = time?.tally ?? ['device', sql`key = any(${groups})`]
  return { value: await tallyOf(db, subject, keys, everything), isCapped: false }
}

async function countUpTo(db: MapleDb, filter: DeviceFilter, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from (
      select from ${pairsOf(filter)}, lateral (
        select from maple.device as device
        where type = pair_type and state = pair_state and ${isWithin(filter)}
      ) as device limit ${sql.lit(limit)}
    ) as counted
  `.execute(db)
  return rows[0]?.count ?? 0
}
