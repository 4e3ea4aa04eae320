import { sql, type QueryExecutorProvider, type RawBuilder } from 'kysely'
import type { ListQuery } from '../database/define-list.ts'
import { jobTable } from '../jobs/job-tables.ts'
import { defineOwned, type OwnedDefinition } from '../owned/define-owned.ts'

interface Definition<Query extends ListQuery> extends Omit<
  OwnedDefinition<Query>,
  'as' | 'opened'
> {
  /** The columns that count finished targets. */
  sums: readonly string[]
  /** Whether it has to wait for something before it gets its job. */
  isWaiting?: RawBuilder<unknown>
  /** Whether somebody cancelled the batch itself, and not its job. */
  isCancelled?: RawBuilder<unknown>
}

/**
 * Batches: jobs with many targets. The table has `service_id`, `job_id`, `total`, the sums,
 * `created_by` and `created_at`; the columns are selected from `batch` and the joined tables, besides
 * id, state, sums and creation.
 *
 *     const harvests = defineBatch<Harvest, HarvestQuery>({
 *       table: 'orchard.harvest',
 *       list: 'harvest',
 *       sorting: harvestSorting,
 *       columns: sql`batch.kind`,
 *       sums: ['succeeded', 'failed'],
 *     })
 */
export function defineBatch<
  Row extends { id: string; createdAt: string },
  Query extends ListQuery,
>({
  columns,
  join = sql``,
  sums,
  isWaiting = sql`false`,
  isCancelled = sql`false`,
  ...definition
}: Definition<Query>) {
  const [schema = ''] = definition.table.split('.')
  // A finished job is deleted after some days.
  const state = sql`case
    when job.state in ('queued', 'running', 'failed', 'cancelled') then job.state
    when ${isCancelled} then 'cancelled'
    when ${isWaiting} then 'queued'
    else 'completed' end`
  return {
    ...defineOwned<Row, Query, Row>({
      ...definition,
      as: 'batch',
      columns: sql`
        batch.id, ${columns}, ${state} as state, batch.total,
        ${sql.join(sums.map((sum) => sql.ref(`batch.${sum}`)))},
        batch.created_by as "createdBy", batch.created_at as "createdAt"`,
      join: sql`${join} left join ${jobTable(schema)} as job on job.id = batch.job_id`,
    }),

    setJob: async (tx: QueryExecutorProvider, id: string, jobId: string | null) => {
      await sql`update ${sql.table(definition.table)} set job_id = ${jobId} where id = ${id}`.execute(
        tx,
      )
    },
  }
}
