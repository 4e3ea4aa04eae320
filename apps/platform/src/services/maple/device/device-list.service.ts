import type { Calls, QueryOf, ResponseOf } from '@grove/contract'
import {
  defaultDeviceOrder,
  defaultDeviceSort,
  deviceCountLimit as countLimit,
  deviceSearchLimit as searchLimit,
  deviceStates,
  deviceTypes,
} from '@grove/contract/maple/device.rules'
import { defaultPageSize } from '@grove/contract/page.rules'
import type { AnyActor } from '../../../core/actor.ts'
import { keysetPage, keysetRange } from '../../../core/database/keyset-page.ts'
import type { MapleContext } from '../context.ts'
import type { MapleDb } from '../tables.ts'
import {
  countUpTo,
  hitsOfId,
  hitsOfText,
  pageOfAll,
  pageOfSearch,
  type DeviceRow,
  type PageRequest,
} from './device-list.queries.ts'

type Query = QueryOf<Calls['GET /api/maple/device']>
type Answer = ResponseOf<Calls['GET /api/maple/device']>

const valueOf = {
  name: 'text',
  id: 'text',
  createdAt: 'timestamp',
  lastSeenAt: 'timestamp',
} as const

/** @throws BadCursorError for a cursor that is not of this sort and order. */
export async function listDevices(
  { db }: Pick<MapleContext, 'db'>,
  _actor: AnyActor,
  query: Query,
): Promise<Answer> {
  const { sort = defaultDeviceSort, order = defaultDeviceOrder, limit = defaultPageSize } = query
  const keyset = { name: `${sort} ${order}`, value: valueOf[sort], tiebreak: 'text' } as const
  const range = keysetRange(keyset, query.cursor, limit)
  const { rows, isTruncated, count } = await find(db, query, {
    filter: { types: chosen(deviceTypes, query.type), states: chosen(deviceStates, query.state) },
    sort,
    direction: range.isBackward === (order === 'asc') ? 'desc' : 'asc',
    after: range.after,
    limit: range.limit,
  })
  const page = keysetPage(keyset, range, rows, ({ key, id }) => ({ value: key, tiebreak: id }))
  return {
    ...page,
    items: page.items.map(({ key: _key, ...device }) => device),
    isTruncated,
    ...(count && { count }),
  }
}

interface Found {
  rows: DeviceRow[]
  isTruncated: boolean
  count: Answer['count']
}

async function find(db: MapleDb, query: Query, request: PageRequest): Promise<Found> {
  const text = query.q?.trim()
  if (query.id !== undefined) return search(hitsOfId(request.filter, query.id))
  if (text) return search(hitsOfText(request.filter, text))
  const [rows, total] = await Promise.all([
    pageOfAll(db, request),
    query.count ? countUpTo(db, request.filter, countLimit + 1) : undefined,
  ])
  return {
    rows,
    isTruncated: false,
    count: total === undefined ? undefined : capped(total, countLimit),
  }

  async function search(hits: ReturnType<typeof hitsOfText>): Promise<Found> {
    const { rows, found } = await pageOfSearch(db, request, hits)
    const count = query.count ? capped(found, searchLimit) : undefined
    return { rows, isTruncated: found > searchLimit, count }
  }
}

const capped = (value: number, most: number) => ({
  value: Math.min(value, most),
  isCapped: value > most,
})

/** The values named, each once, or all when none is. */
function chosen<T extends string>(all: readonly T[], list: string | undefined): readonly T[] {
  const named = list?.split(',')
  return named ? all.filter((value) => named.includes(value)) : all
}
