import { sql, type QueryExecutorProvider } from 'kysely'
import type { Sorting } from '@grove/contract/page.rules'
import { defineList, type ListPage, type ListQuery } from '../database/define-list.ts'
import { startNext, type TargetTable } from './start-next.ts'

/** What every target has besides its own columns. */
interface TargetRow {
  state: string
  startedAt: string | null
  finishedAt: string | null
}

interface Definition<Row extends TargetRow, Key extends keyof Row & string> extends TargetTable {
  /** The name of the list in its cursors. */
  name: string
  /** The table of batches, with `cancelled_at` and the sums. */
  batch: `${string}.${string}`
  /** The column that identifies a target within its batch; also the order of starts and lists. */
  key: Key
  sorting: Sorting
  /** Stored while a target runs and when it ends; `sessionId` is the column `session_id`. */
  columns: Record<Exclude<keyof Row, keyof TargetRow | Key> & string, 'text' | 'integer' | 'jsonb'>
  /** The sum of the batch that counts each final state. */
  sums: Partial<Record<Row['state'], string>>
}

/**
 * The targets of batches that run one by one. Each is a row with its state; its outcome is counted
 * in its batch. The table has `state`, `started_at` and `finished_at`.
 *
 *     const treeTargets = defineTargets<HarvestedTree, 'tag'>({
 *       name: 'harvested tree',
 *       batch: 'orchard.harvest',
 *       table: 'orchard.harvested_tree',
 *       of: 'harvest_id',
 *       key: 'tag',
 *       sorting: harvestedTreeSorting,
 *       columns: { apples: 'integer' },
 *       sums: { picked: 'succeeded', rotten: 'failed' },
 *     })
 */
export function defineTargets<Row extends TargetRow, Key extends keyof Row & string>({
  name,
  batch,
  key,
  sorting,
  columns: types,
  sums,
  ...rest
}: Definition<Row, Key>) {
  type Values = Partial<Omit<Row, keyof TargetRow | Key>>
  const table = sql.table(rest.table)
  const batches = sql.table(batch)
  const of = sql.ref(rest.of)
  const keyColumn = sql.ref(key)
  const columns = Object.entries<string>(types).map(([field, type]) => ({
    field,
    column: sql.ref(field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
    type,
  }))
  const facts = sql.join([
    sql`target.${keyColumn}, target.state, target.started_at as "startedAt",
      target.finished_at as "finishedAt"`,
    ...columns.map(({ field, column }) => sql`target.${column} as ${sql.id(field)}`),
  ])
  const written = (values: object) =>
    columns.flatMap(({ field, column, type }) => {
      const value = (values as Record<string, unknown>)[field]
      if (value === undefined) return []
      const text = value !== null && type === 'jsonb' ? JSON.stringify(value) : value
      return sql`${column} = ${text}::${sql.raw(type)}`
    })

  return {
    list: defineList({
      name,
      sorts: { [key]: [key, 'text'] },
      sorting,
      tiebreak: [key, 'text'],
      keys: (row: Row) => [String(row[key]), String(row[key])],
      rows: (
        db: QueryExecutorProvider,
        { where, orderBy, limit }: ListPage<ListQuery>,
        batchId: string,
      ) =>
        sql<Row>`
          select ${facts} from ${table} as target
          where ${of} = ${batchId} and ${where('target')}
          order by ${orderBy('target')} limit ${sql.lit(limit)}`.execute(db),
    }),

    insert: async (tx: QueryExecutorProvider, batchId: string, keys: readonly string[]) => {
      await sql`
        insert into ${table} (${of}, ${keyColumn})
        select ${batchId}, key from unnest(${keys}::text[]) as given (key)`.execute(tx)
    },

    /** Those that an interrupted run had started. */
    started: async (db: QueryExecutorProvider, batchId: string): Promise<Row[]> => {
      const { rows } = await sql<Row>`
        select ${facts} from ${table} as target
        where ${of} = ${batchId} and state = 'running' order by ${keyColumn}`.execute(db)
      return rows
    },

    next: (db: QueryExecutorProvider, batchId: string) =>
      startNext<Row>(db, { ...rest, key }, batchId, facts),

    /** Stores the progress of a target. */
    update: async (db: QueryExecutorProvider, batchId: string, id: string, values: Values) => {
      await sql`
        update ${table} set ${sql.join(written(values))}
        where ${of} = ${batchId} and ${keyColumn} = ${id}`.execute(db)
    },

    /** Stores the outcome of a target, and counts it. */
    finish: async (
      tx: QueryExecutorProvider,
      batchId: string,
      id: string,
      { state, ...values }: Values & Pick<Row, 'state'>,
    ) => {
      const ended = [sql`state = ${state}, finished_at = now()`, ...written(values)]
      await sql`
        update ${table} set ${sql.join(ended)}
        where ${of} = ${batchId} and ${keyColumn} = ${id}`.execute(tx)
      const sum = sums[state]
      if (sum === undefined) return
      await sql`
        update ${batches} set ${sql.ref(sum)} = ${sql.ref(sum)} + 1
        where id = ${batchId}`.execute(tx)
    },

    /** Targets not started stay unchanged. */
    cancel: async (tx: QueryExecutorProvider, batchId: string) => {
      await sql`update ${batches} set cancelled_at = now() where id = ${batchId}`.execute(tx)
      await sql`
        update ${table} set state = 'cancelled', finished_at = now()
        where ${of} = ${batchId} and state = 'waiting'`.execute(tx)
    },
  }
}
