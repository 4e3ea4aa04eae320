import { sql, type QueryExecutorProvider, type RawBuilder } from 'kysely'
import type { Sorting } from '@grove/contract/page.rules'
import {
  defineList,
  type ListFilters,
  type ListPage,
  type ListQuery,
} from '../database/define-list.ts'
import { jobTable } from '../jobs/job-tables.ts'
import { inScope, type Scope } from '../scope.ts'

interface Definition<Query extends ListQuery> {
  /** The name of the list in its cursors. */
  name: string
  table: `${string}.${string}`
  sorting: Sorting<'createdAt'>
  filters?: ListFilters<NoInfer<Query>>
  /** Selected from `batch` and the joined tables, besides id, state, sums and creation. */
  columns: RawBuilder<unknown>
  join?: RawBuilder<unknown>
  /** The columns that count finished targets. */
  sums: readonly string[]
  /** Whether something must happen before it gets its job. */
  isWaiting?: RawBuilder<unknown>
  /** Whether somebody cancelled the batch itself, and not its job. */
  isCancelled?: RawBuilder<unknown>
}

/**
 * Batches: jobs with many targets. The table has `service_id`, `job_id`, `total`, the sums,
 * `created_by` and `created_at`.
 *
 *     const harvests = defineBatch<Harvest, HarvestQuery>({
 *       name: 'harvest',
 *       table: 'orchard.harvest',
 *       sorting: harvestSorting,
 *       columns: sql`batch.kind`,
 *       sums: ['succeeded', 'failed'],
 *     })
 */
export function defineBatch<
  Row extends { id: string; createdAt: string },
  Query extends ListQuery,
>({
  name,
  sorting,
  filters = {},
  columns,
  join = sql``,
  sums,
  isWaiting = sql`false`,
  isCancelled = sql`false`,
  ...definition
}: Definition<Query>) {
  const [schema = ''] = definition.table.split('.')
  const table = sql.table(definition.table)
  // A finished job is deleted after some days.
  const state = sql`case
    when job.state in ('queued', 'running', 'failed', 'cancelled') then job.state
    when ${isCancelled} then 'cancelled'
    when ${isWaiting} then 'queued'
    else 'completed' end`
  const selected = sql`
    batch.id, ${columns}, ${state} as state, batch.total,
    ${sql.join(sums.map((sum) => sql.ref(`batch.${sum}`)))},
    batch.created_by as "createdBy", batch.created_at as "createdAt"`
  const from = sql`
    ${table} as batch ${join} left join ${jobTable(schema)} as job on job.id = batch.job_id`

  /** Undefined outside the scope. */
  async function find(
    db: QueryExecutorProvider,
    id: string,
    scope: Scope,
  ): Promise<Row | undefined> {
    const { rows } = await sql<Row>`
      select ${selected} from ${from}
      where batch.id = ${id} and ${inScope(scope, 'batch.service_id')}`.execute(db)
    return rows[0]
  }

  return {
    find,

    list: defineList({
      name,
      sorts: { createdAt: ['created_at', 'timestamp'] },
      sorting,
      tiebreak: ['id', 'uuid'],
      filters,
      keys: ({ createdAt, id }: Row) => [createdAt, id],
      rows: (
        db: QueryExecutorProvider,
        { where, orderBy, limit }: ListPage<Query, 'createdAt'>,
        scope: Scope,
      ) =>
        sql<Row>`
          select ${selected} from ${from}
          where ${inScope(scope, 'batch.service_id')} and ${where('batch')}
          order by ${orderBy('batch')} limit ${sql.lit(limit)}`.execute(db),
    }),

    /** Locks the batch for the transaction. */
    lock: async (tx: QueryExecutorProvider, id: string, scope: Scope) => {
      await sql`select from ${table} where id = ${id} for update`.execute(tx)
      return find(tx, id, scope)
    },

    setJob: async (tx: QueryExecutorProvider, id: string, jobId: string | null) => {
      await sql`update ${table} set job_id = ${jobId} where id = ${id}`.execute(tx)
    },
  }
}
