import { sql, type QueryExecutorProvider, type RawBuilder } from 'kysely'
import type { Sorting } from '@grove/contract/page.rules'
import {
  defineList,
  type ListFilters,
  type ListPage,
  type ListQuery,
} from '../database/define-list.ts'
import type { KeysetShape } from '../database/keyset.ts'

/** What the database fills in. */
interface Stored {
  revision: number
  createdAt: string
  updatedAt: string
}

export type RecordRow = Stored & { id: string }

type ColumnType =
  | 'uuid'
  | 'text'
  | 'text[]'
  | 'integer'
  | 'boolean'
  | 'jsonb'
  | 'timestamptz'
  /** An enum of a service. */
  | `${string}.${string}`

interface Column {
  type: ColumnType
  /**
   * What is stored for null, as database text: sortable columns hold no nulls, so that a page is one
   * range of an index.
   */
  none?: string
  /** What the list compares instead of the text: a separate column, such as `name_key`. */
  keyOf?: (text: string) => string
}

interface Definition<Row extends RecordRow, Query extends ListQuery> {
  /** The table with its schema, such as `maple.account`. */
  table: string
  /** Its columns by their names in the contract: `expiresAt` is `expires_at`. */
  columns: Record<Exclude<keyof Row, keyof Stored>, ColumnType | Column>
  sorting: Sorting
  filters?: ListFilters<Query>
}

export type ValuesOf<Row extends RecordRow> = Omit<Row, keyof Stored> & { id: string }

/**
 * A resource with a single table: its list with keyset pagination, and changes of one row. The table
 * has an `id` and, besides its own columns, `revision`, `created_at` and `updated_at` with defaults.
 *
 *     const trees = defineRecords<Tree, TreeQuery>({
 *       table: 'orchard.tree',
 *       columns: { id: 'uuid', kind: 'text' },
 *       sorting: treeSorting,
 *       filters: { kind: (kind) => sql`kind = ${kind}` },
 *     })
 */
export function defineRecords<Row extends RecordRow, Query extends ListQuery>({
  table,
  sorting,
  filters = {},
  ...definition
}: Definition<Row, Query>) {
  const columns = Object.entries<ColumnType | Column>({
    ...definition.columns,
    revision: 'integer',
    createdAt: 'timestamptz',
    updatedAt: 'timestamptz',
  }).map(([field, column]) => columnOf(field, column))
  const own = columns.filter(({ field }) => field in definition.columns)
  const from = sql.table(table)
  const selected = sql.join(columns.map(({ read }) => read))

  const one = async (db: QueryExecutorProvider, statement: RawBuilder<Row>) =>
    (await statement.execute(db)).rows[0]
  const written = (values: ValuesOf<Row>) =>
    sql.join(own.map(({ field, write }) => write(values[field as keyof ValuesOf<Row>])))
  const names = sql.join(own.map(({ names: both }) => both))

  const list = defineList({
    name: table,
    sorts: Object.fromEntries(columns.map(({ field, sortBy, shape }) => [field, [sortBy, shape]])),
    sorting,
    tiebreak: ['id', columns.find(({ field }) => field === 'id')?.shape ?? 'text'],
    filters,
    keys: (row: Row, sort) => {
      const { none, keyOf = String } = columns.find(({ field }) => field === sort) ?? {}
      return [keyOf(String(row[sort as keyof Row] ?? none)), row.id]
    },
    rows: (db: QueryExecutorProvider, { where, orderBy, limit }: ListPage<Query>) =>
      sql<Row>`
        select ${selected} from ${from} where ${where()} order by ${orderBy()} limit ${limit}
      `.execute(db),
  })

  return {
    /**
     * One page of a query.
     * @throws BadCursorError for a cursor that does not belong to this list in this order.
     */
    read: (db: QueryExecutorProvider, query: Query) => list.read(db, query),

    /** One row, locked for the transaction. */
    lock: (tx: QueryExecutorProvider, id: string) =>
      one(tx, sql`select ${selected} from ${from} where id = ${id} for update`),

    /** Undefined if the id is taken. */
    insert: (tx: QueryExecutorProvider, values: ValuesOf<Row>) =>
      one(
        tx,
        sql`
          insert into ${from} (${names}) values (${written(values)})
          on conflict (id) do nothing returning ${selected}
        `,
      ),

    /** Undefined if the row already has these values. */
    update: (tx: QueryExecutorProvider, values: ValuesOf<Row>) =>
      one(
        tx,
        sql`
          update ${from}
          set (${names}) = row(${written(values)}), revision = revision + 1, updated_at = now()
          where id = ${values.id} and row(${names}) is distinct from row(${written(values)})
          returning ${selected}
        `,
      ),

    delete: async (tx: QueryExecutorProvider, id: string) => {
      await sql`delete from ${from} where id = ${id}`.execute(tx)
    },
  }
}

export type Records<Row extends RecordRow, Query extends ListQuery> = ReturnType<
  typeof defineRecords<Row, Query>
>

const shapes: Partial<Record<ColumnType, KeysetShape>> = {
  uuid: 'uuid',
  integer: 'integer',
  timestamptz: 'timestamp',
}

function columnOf(field: string, definition: ColumnType | Column) {
  const { type, none, keyOf }: Column =
    typeof definition === 'string' ? { type: definition } : definition
  const column = field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const name = sql.ref(column)
  const cast = (value: RawBuilder<unknown>) => sql`${value}::${sql.raw(type)}`
  const absent = none === undefined ? undefined : cast(sql.lit(none))
  return {
    field,
    names: keyOf ? sql`${name}, ${sql.ref(`${column}_key`)}` : name,
    sortBy: keyOf ? `${column}_key` : column,
    none,
    keyOf,
    shape: shapes[type] ?? 'text',
    read: sql`${absent ? sql`nullif(${name}, ${absent})` : name} as ${sql.id(field)}`,
    write: (value: unknown) => {
      // The driver encodes an array as a PostgreSQL array.
      const given = cast(sql.val(type === 'jsonb' ? JSON.stringify(value) : value))
      if (keyOf) return sql`${given}, ${keyOf(String(value))}`
      return absent ? sql`coalesce(${given}, ${absent})` : given
    },
  }
}
