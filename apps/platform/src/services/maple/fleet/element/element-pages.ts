import { sql, type RawBuilder } from 'kysely'
import type { ElementSort } from '@grove/contract/maple/fleet/element.rules'
import type { Order } from '@grove/contract/page.rules'
import { inOrder, isBehind } from '../../../../core/database/define-list.ts'
import type { KeysetCursor } from '../../../../core/database/keyset.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import { allFacets, stateOf, type Source, type Span } from './element-filter.ts'

type Sql = RawBuilder<unknown>

/** What to read of some sources: the first elements in an order, after a cursor. */
export interface Request {
  sort: ElementSort
  direction: Order
  limit: number
  after?: KeysetCursor | undefined
  /** The service provider that they are limited to. */
  scope: Scope
  /** False if they are only counted. */
  isOrdered?: boolean
}

/** What `maple.element` is sorted by. A state is the part of the facet above its three flags. */
export const sortKeys: Record<ElementSort, Sql> = {
  cplc: sql`cplc`,
  chipId: sql`chip_id`,
  state: sql`facet / 8`,
  updatedAt: sql`updated_at`,
}

/**
 * The first elements of all sources in an order, as `cplc` and `key`. Each facet is a few index
 * ranges, and the ranges are merged: whatever the filter and page, the database reads about as many
 * index entries as it returns, times the number of ranges.
 */
export function firstOf(sources: readonly Source[], request: Request): Sql {
  const { direction, limit, isOrdered = true } = request
  const branches = sources.map((source) => branchOf(source, request))
  const order = inOrder([sql.ref('key'), sql.ref('cplc')], direction)
  return sql`
    select cplc, key from (${sql.join(branches, sql` union all `)}) as merged
    ${isOrdered ? sql`order by ${order}` : sql``} limit ${sql.lit(limit)}`
}

function branchOf(source: Source, request: Request): Sql {
  if (request.sort === 'updatedAt') return byMoment(source, request)
  if (request.sort === 'chipId') return byChip(source, request)
  return byRange(source, request)
}

/** A range of CPLCs in one facet; null is all of them, in primary key order. */
interface Piece extends Span {
  facet: number | null
}

/**
 * In CPLC order, alone or within each state. The row comparison selects the index: a filter on the
 * primary key could read every row before the first match.
 */
function byRange(source: Source, { sort, direction, limit, after, scope }: Request): Sql {
  const facets = source.facets ?? (sort === 'state' ? allFacets : [null])
  const pieces = facets.flatMap((facet) => piecesOf(facet, source.spans, sort, direction, after))
  const order = sql.raw(direction)
  const low = sql`piece.low collate "C"`
  const high = sql`piece.high collate "C"`
  const range =
    facets[0] === null
      ? sql`cplc >= ${low} and cplc < ${high} order by cplc ${order}`
      : sql`(facet, cplc) >= (piece.facet, ${low}) and (facet, cplc) < (piece.facet, ${high})
          order by facet ${order}, cplc ${order}`
  return sql`(
    select found.cplc, found.key
    from unnest(
      ${pieces.map(({ facet }) => facet)}::smallint[], ${pieces.map(({ from }) => from)}::text[],
      ${pieces.map(({ to }) => to)}::text[]
    ) as piece (facet, low, high)
    cross join lateral (
      select cplc, ${sortKeys[sort]} as key from maple.element
      where ${ofSource(source, scope)} ${range} limit ${sql.lit(limit)}
    ) as found)`
}

/** The part of a facet after the cursor. */
function piecesOf(
  facet: number | null,
  spans: readonly Span[],
  sort: ElementSort,
  direction: Order,
  after: KeysetCursor | undefined,
): Piece[] {
  const ahead = direction === 'asc' ? 1 : -1
  // In the order of states, only the facets of one state are cut.
  const place =
    after && sort === 'state' && facet !== null ? (stateOf(facet) - Number(after.value)) * ahead : 0
  if (place < 0) return []
  const cut = after && place === 0 ? after.tiebreak : undefined
  return spans.flatMap(({ from, to }) => {
    // A CPLC is never a prefix of another, and every digit sorts after "!".
    const low = cut !== undefined && direction === 'asc' && `${cut}!` > from ? `${cut}!` : from
    const high = cut !== undefined && direction === 'desc' && cut < to ? cut : to
    return low < high ? [{ facet, from: low, to: high }] : []
  })
}

/** In the order of the last change: one range for each facet, and no range of CPLCs. */
function byMoment({ facets = allFacets }: Source, { direction, limit, after, scope }: Request) {
  const columns = [sql.ref('updated_at'), sql.ref('cplc')] as const
  return sql`(
    select found.cplc, found.key from unnest(${facets}::smallint[]) as piece (facet)
    cross join lateral (
      select cplc, updated_at as key from maple.element
      where ${ofScope(scope)} facet = piece.facet and ${isBehind(columns, direction, after)}
      order by ${inOrder(columns, direction)} limit ${sql.lit(limit)}
    ) as found)`
}

/**
 * In chip order. Few elements share one, so the index of chips suffices without the CPLC. A chip id
 * begins like its CPLC, so a chip type is a range of it.
 */
function byChip({ spans }: Source, { direction, limit, after, scope }: Request) {
  const columns = [sql.ref('chip_id'), sql.ref('cplc')] as const
  const { from, to } = spans[0] ?? { from: '', to: '' }
  const start =
    after && sql`chip_id ${sql.raw(direction === 'asc' ? '>=' : '<=')} ${after.value} and`
  return sql`(
    select cplc, chip_id as key from maple.element
    where ${ofScope(scope)} chip_id >= ${from} and chip_id < ${to} and ${start ?? sql``}
      ${isBehind(columns, direction, after)}
    order by ${inOrder(columns, direction)} limit ${sql.lit(limit)})`
}

const ofScope = (scope: Scope) => sql`${inScope(scope, 'service_id')} and`

const ofSource = ({ profileId }: Source, scope: Scope) =>
  sql`${ofScope(scope)} ${profileId === undefined ? sql`` : sql`profile_id = ${profileId} and`}`
