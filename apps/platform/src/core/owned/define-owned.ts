import { sql, type QueryExecutorProvider, type RawBuilder } from 'kysely'
import type { Sorting } from '@grove/contract/page.rules'
import {
  defineList,
  type ListFilters,
  type ListPage,
  type ListQuery,
} from '../database/define-list.ts'
import { nameKey } from '../database/name-key.ts'
import { keysOfNames } from '../database/words.ts'
import { inScope, type Scope } from '../scope.ts'

const sorts = {
  name: ['name_key', 'text'],
  createdAt: ['created_at', 'timestamp'],
  updatedAt: ['updated_at', 'timestamp'],
} as const
type Sort = keyof typeof sorts

export interface OwnedDefinition<Query> {
  /**
   * Has a key and `service_id`; also `name_key` for names, and `revision` and `updated_at` for
   * updates.
   */
  table: `${string}.${string}`
  /** The column of the key; `id` if omitted. */
  key?: string
  /** The table's alias in the selected columns; its name if omitted. */
  as?: string
  /** The name of the list in its cursors. */
  list?: string
  columns: RawBuilder<unknown>
  /** Additional columns when a single row is read. */
  opened?: RawBuilder<unknown>
  join?: RawBuilder<unknown>
  sorting?: Sorting<Sort>
  filters?: ListFilters<Query>
  /** A search finds at most this many names. */
  searchLimit?: number
  /** Further columns to search, and how to convert the search text for each. */
  searched?: Readonly<Record<string, (typed: string) => string>>
}

type Values = Record<string, unknown>

/**
 * Rows that belong to a service provider.
 *
 *     const trees = defineOwned<Tree, TreeQuery>({
 *       table: 'orchard.tree',
 *       columns: sql`tree.id, tree.name, tree.created_at as "createdAt"`,
 *       sorting: treeSorting,
 *       searchLimit: treeSearchLimit,
 *     })
 */
export function defineOwned<
  Row extends { createdAt: string },
  Query extends ListQuery & { q?: string | undefined },
  Opened extends Row = Row,
>({
  table,
  key = 'id',
  as = table.split('.')[1] ?? table,
  list = table,
  columns,
  opened,
  join = sql``,
  sorting = { by: ['createdAt'], default: 'createdAt', order: 'desc' },
  filters,
  searchLimit = 1_000,
  searched = {},
}: OwnedDefinition<Query>) {
  const from = sql.table(table)
  const source = sql`${from} as ${sql.id(as)} ${join}`
  const keyColumn = sql.ref(key)
  const keyOfRow = sql.ref(`${as}.${key}`)
  const isIt = (id: string) => sql`${keyOfRow} = ${id}`
  const isOwn = (scope: Scope) => inScope(scope, `${as}.service_id`)

  /** Selects rows with a query that starts after its `from`. */
  const select = async (
    db: QueryExecutorProvider,
    rest: RawBuilder<unknown>,
  ): Promise<Opened[]> => {
    const selected = opened ? sql`${columns}, ${opened}` : columns
    return (await sql<Opened>`select ${selected} from ${source} ${rest}`.execute(db)).rows
  }

  /** The first of the selected rows. */
  const first = async (db: QueryExecutorProvider, rest: RawBuilder<unknown>) =>
    (await select(db, rest))[0]

  const find = (db: QueryExecutorProvider, id: string, scope: Scope) =>
    first(db, sql`where ${isIt(id)} and ${isOwn(scope)}`)

  const lockedFor =
    (use: RawBuilder<unknown>) => async (tx: QueryExecutorProvider, id: string, scope: Scope) => {
      await sql`
        select from ${from} where ${keyColumn} = ${id} and ${inScope(scope, 'service_id')} for ${use}
      `.execute(tx)
      return find(tx, id, scope)
    }

  function isFound(text: string, scope: Scope) {
    const typed = text.trim()
    if (typed === '') return sql`true`
    const others = Object.entries(searched).map(([column, textOf]) => [column, textOf(typed)])
    return sql`${keyOfRow} = ${keysOfNames({
      table: from,
      key,
      scope: inScope(scope, 'service_id'),
      text: nameKey(typed),
      limit: searchLimit,
      others: Object.fromEntries(others),
    })}`
  }

  return {
    select,
    first,

    /** Undefined for one of another service provider. */
    find,

    /** The same, locked for the transaction. */
    lock: lockedFor(sql`update`),

    /** The same, but others may lock it too; the row stays unchanged until the transaction ends. */
    share: lockedFor(sql`share`),

    list: defineList({
      name: list,
      sorts,
      sorting,
      tiebreak: [key, key === 'id' ? 'uuid' : 'text'],
      filters: { id: isIt, ...filters } as ListFilters<Query>,
      keys: (row: Row & { [K in Sort]?: string }, sort) => {
        const value = row[sort] ?? ''
        return [sort === 'name' ? nameKey(value) : value, String(row[key as keyof Row])]
      },
      rows: (
        db: QueryExecutorProvider,
        { query, where, orderBy, limit }: ListPage<Query, Sort>,
        scope: Scope,
      ) =>
        sql<Row>`
          select ${columns} from ${source}
          where ${isOwn(scope)} and ${isFound(query.q ?? '', scope)} and ${where(as)}
          order by ${orderBy(as)} limit ${sql.lit(limit)}`.execute(db),
    }),

    /** The number of a service provider's rows; serialises additions. */
    count: async (tx: QueryExecutorProvider, serviceId: string | null): Promise<number> => {
      const whose = `${table} ${serviceId ?? ''}`
      await sql`select pg_advisory_xact_lock(hashtextextended(${whose}, 0))`.execute(tx)
      const { rows } = await sql<{ count: number }>`
        select count(*)::integer as count from ${from}
        where service_id is not distinct from ${serviceId}`.execute(tx)
      return rows[0]?.count ?? 0
    },

    /** Returns the key. `values` are by column. */
    insert: async (
      tx: QueryExecutorProvider,
      given: Values & { name: string; service_id: string | null },
    ): Promise<string> => {
      const values = keyed(given)
      const { rows } = await sql<{ id: string }>`
        insert into ${from} (${sql.join(Object.keys(values).map((column) => sql.ref(column)))})
        values (${sql.join(Object.values(values))}) returning ${keyColumn} as id`.execute(tx)
      const [row] = rows
      if (!row) throw new Error('An insert without a condition answers its row.')
      return row.id
    },

    update: (tx: QueryExecutorProvider, id: string, given: Values & { name?: string }) =>
      sql`
        update ${from} set ${assignments(keyed(given))}, revision = revision + 1, updated_at = now()
        where ${keyColumn} = ${id}`.execute(tx),

    delete: (tx: QueryExecutorProvider, id: string) =>
      sql`delete from ${from} where ${keyColumn} = ${id}`.execute(tx),
  }
}

const keyed = (given: Values & { name?: string }): Values =>
  given.name === undefined ? given : { ...given, name_key: nameKey(given.name) }

/** `column = value` of each; the column determines the type of the value. */
export const assignments = (values: Values) =>
  sql.join(Object.entries(values).map(([column, value]) => sql`${sql.ref(column)} = ${value}`))
