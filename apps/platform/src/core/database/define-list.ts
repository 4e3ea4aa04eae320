import { sql, type RawBuilder } from 'kysely'
import { defaultPageSize, type Order, type Sorting } from '@grove/contract/page.rules'
import {
  decodeCursor,
  encodeCursor,
  type KeysetCursor,
  type KeysetShape,
  type KeysetSort,
} from './keyset.ts'

type Sql = RawBuilder<unknown>

/** Parameters of every list. */
export interface ListQuery {
  cursor?: string | undefined
  limit?: number | undefined
  sort?: string | undefined
  order?: Order | undefined
}

type Column = readonly [name: string, shape: KeysetShape]

/** What to read for one page of a list. An alias names the table that has the columns. */
export interface ListPage<Query extends ListQuery, Sort extends string = string> {
  query: Query
  sort: Sort
  /** The read order: reversed for a previous page, so the nearest rows come first. */
  direction: Order
  /** The row to start after. */
  after: KeysetCursor | undefined
  /** One row more than the page holds, which tells whether there is another page. */
  limit: number
  /** The filters in the query. */
  filter: Sql
  /** The filters, and the position after the cursor. */
  where: (alias?: string) => Sql
  orderBy: (alias?: string) => Sql
}

/** The condition for each query parameter; undefined if it does not filter. */
export type ListFilters<Query> = {
  [K in Exclude<keyof Query, keyof ListQuery>]?: (value: NonNullable<Query[K]>) => Sql | undefined
}

interface Definition<Db, Query extends ListQuery, Sort extends string, Row, Scope, More> {
  /** The name of the list in its cursors: another list's cursor is refused. */
  name: string
  /** The column of each sort, and its value type. */
  sorts: Record<Sort, Column>
  sorting: Pick<Sorting<NoInfer<Sort>>, 'default' | 'order'>
  /** The unique column that orders rows with equal values. */
  tiebreak: Column
  filters?: ListFilters<NoInfer<Query>>
  /** A row's sort value and tiebreak as text, as the database writes them. */
  keys: (row: NoInfer<Row>, sort: NoInfer<Sort>) => readonly [value: string, tiebreak: string]
  /** Reads the rows of a page; `more` is whatever else the answer contains. */
  rows: (db: Db, page: ListPage<Query, Sort>, scope: Scope) => Promise<Read<Row, More>>
}

interface Read<Row, More> {
  rows: readonly Row[]
  more?: More
  /** The last row examined, if reading ended before the page was full. */
  stoppedAt?: Row | undefined
}

/** One page, in the list's order, with the cursors to its neighbours. */
export interface Listed<Row> {
  items: Row[]
  next: string | null
  previous: string | null
}

/**
 * A list with keyset pagination. `read` returns one page of a query.
 *
 *     const treeList = defineList({
 *       name: 'tree',
 *       sorts: { plantedAt: ['planted_at', 'timestamp'] },
 *       sorting: { default: 'plantedAt', order: 'desc' },
 *       tiebreak: ['id', 'uuid'],
 *       filters: { kind: (kind) => sql`kind = ${kind}` },
 *       keys: ({ plantedAt, id }) => [plantedAt, id],
 *       rows: (db: OrchardDb, { where, orderBy, limit }: ListPage<TreeQuery, 'plantedAt'>) =>
 *         sql<Tree>`select … from orchard.tree
 *           where ${where()} order by ${orderBy()} limit ${limit}`.execute(db),
 *     })
 */
export function defineList<
  Db,
  Query extends ListQuery,
  Sort extends string,
  Row,
  Scope = void,
  More extends object = object,
>(list: Definition<Db, Query, Sort, Row, Scope, More>) {
  return {
    /** @throws BadCursorError for a cursor that does not belong to this list in this order. */
    async read(db: Db, query: Query, scope: Scope): Promise<Listed<Row> & More> {
      const sort = (query.sort ?? list.sorting.default) as Sort
      const order = query.order ?? list.sorting.order
      const keyset: KeysetSort = {
        name: `${list.name} ${sort} ${order}`,
        value: list.sorts[sort][1],
        tiebreak: list.tiebreak[1],
      }
      const page = pageOf(list, query, { sort, order, keyset })
      const { rows, more, stoppedAt } = await list.rows(db, page, scope)
      return {
        ...listed(list, page, { rows, stoppedAt, keyset, order }),
        ...(more ?? ({} as More)),
      }
    },
  }
}

interface Asked<Sort> {
  sort: Sort
  order: Order
  keyset: KeysetSort
}

function pageOf<Query extends ListQuery, Sort extends string>(
  list: Pick<Definition<never, Query, Sort, never, never, never>, 'sorts' | 'tiebreak' | 'filters'>,
  query: Query,
  { sort, order, keyset }: Asked<Sort>,
): ListPage<Query, Sort> {
  const { cursor, limit = defaultPageSize } = query
  const after = cursor === undefined ? undefined : decodeCursor(keyset, cursor)
  const direction = after?.direction === 'previous' ? reverse[order] : order
  const columns = [list.sorts[sort][0], list.tiebreak[0]] as const
  const under = (alias?: string) =>
    columns.map((name) => sql.ref(alias === undefined ? name : `${alias}.${name}`)) as [Sql, Sql]
  const filter = sql.join([sql`true`, ...conditions(list.filters, query)], sql` and `)
  return {
    query,
    sort,
    direction,
    after,
    limit: limit + 1,
    filter,
    where: (alias) => sql`${filter} and ${isBehind(under(alias), direction, after)}`,
    orderBy: (alias) => inOrder(under(alias), direction),
  }
}

/** A count that read at most one row more than the limit. */
export const upTo = (limit: number, count: number) => ({
  value: Math.min(count, limit),
  isCapped: count > limit,
})

const reverse = { asc: 'desc', desc: 'asc' } as const

/** The rows after a cursor, as one range of an index on both columns. */
export function isBehind(
  [value, tiebreak]: readonly [Sql, Sql],
  direction: Order,
  after: { value: unknown; tiebreak: unknown } | undefined,
): Sql {
  if (!after) return sql`true`
  const than = sql.raw(direction === 'asc' ? '>' : '<')
  return sql`(${value}, ${tiebreak}) ${than} (${after.value}, ${after.tiebreak})`
}

export const inOrder = ([value, tiebreak]: readonly [Sql, Sql], direction: Order): Sql =>
  sql`${value} ${sql.raw(direction)}, ${tiebreak} ${sql.raw(direction)}`

/** The conditions of the filters in a query. */
function conditions<Query extends ListQuery>(
  filters: Definition<never, Query, string, never, never, never>['filters'] = {},
  query: Query,
): Sql[] {
  const entries = Object.entries(filters) as [keyof Query, (value: unknown) => Sql | undefined][]
  return entries
    .map(([name, conditionOf]) =>
      query[name] === undefined ? undefined : conditionOf(query[name]),
    )
    .filter((condition) => condition !== undefined)
}

function listed<Row, Sort extends string>(
  { keys }: { keys: (row: Row, sort: Sort) => readonly [string, string] },
  {
    sort,
    direction,
    after,
    limit,
  }: Pick<ListPage<ListQuery, Sort>, 'sort' | 'direction' | 'after' | 'limit'>,
  {
    rows,
    stoppedAt,
    keyset,
    order,
  }: { rows: readonly Row[]; stoppedAt: Row | undefined; keyset: KeysetSort; order: Order },
): Listed<Row> {
  const isBackward = direction !== order
  const hasMore = rows.length === limit
  const items = rows.slice(0, limit - 1)
  if (isBackward) items.reverse()
  const cursorAt = (row: Row | undefined, towards: KeysetCursor['direction']) => {
    if (row === undefined) return null
    const [value, tiebreak] = keys(row, sort)
    return encodeCursor(keyset, { value, tiebreak, direction: towards })
  }
  return {
    items,
    next: isBackward
      ? cursorAt(items.at(-1) ?? stoppedAt, 'next')
      : cursorAt(hasMore ? items.at(-1) : stoppedAt, 'next'),
    previous: isBackward
      ? cursorAt(hasMore ? items[0] : stoppedAt, 'previous')
      : cursorAt(after && (items[0] ?? stoppedAt), 'previous'),
  }
}
