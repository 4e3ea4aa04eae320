import { sql, type QueryExecutorProvider, type RawBuilder } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf, ServiceName } from '@grove/contract/call'
import { maxCounted } from '@grove/contract/page.rules'
import { inScope, type Scope } from '../scope.ts'
import { defineList, upTo, type ListPage } from '../database/define-list.ts'
import {
  jobStates,
  jobTable,
  timeOf,
  type JobFailure,
  type JobState,
  type JobStore,
} from './job-tables.ts'

type JobQuery = QueryOf<Calls[`GET /api/${ServiceName}/job`]>

/** A job without its input, which may contain what an admin need not see. */
export interface JobRow {
  id: string
  name: string
  state: JobState
  attempts: number
  max_attempts: number
  due_at: string
  progress_done: number | null
  progress_total: number | null
  is_cancelling: boolean
  is_recurring: boolean
  has_input: boolean
  failure: JobFailure | null
  created_by: string | null
  created_at: string
  started_at: string | null
  finished_at: string | null
}

const columns = sql`id, name, state, attempts, max_attempts, due_at, progress_done, progress_total,
  cancel_requested_at is not null as is_cancelling, period is not null as is_recurring,
  input is not null or sealed_input is not null or period is not null as has_input,
  failure, created_by, created_at, started_at, finished_at`

export const jobList = defineList({
  name: 'job',
  sorts: { createdAt: ['created_at', 'timestamp'] },
  sorting: { default: 'createdAt', order: 'desc' },
  tiebreak: ['id', 'uuid'],
  filters: {
    name: (name) => sql`name = ${name}`,
    recurring: (isWanted) => (isWanted ? sql`period is not null` : sql`period is null`),
  },
  keys: ({ created_at, id }) => [created_at, id],
  rows: async (
    store: JobStore,
    { query, filter, where: ofFilter, orderBy, limit }: ListPage<JobQuery, 'createdAt'>,
    scope: Scope,
  ) => {
    const asked = query.state?.split(',')
    const order = sql`order by ${orderBy()}`
    const table = jobTable(store.schema)
    // Each state is one range of an index; the ranges are merged.
    const first = (condition: RawBuilder<unknown>, most: number) => {
      const top = sql`${order} limit ${sql.lit(most)}`
      const where = sql`${condition} and ${inScope(scope, 'scope')}`
      return asked
        ? sql.join(
            jobStates
              .filter((state) => asked.includes(state))
              .map(
                (state) => sql`(select * from ${table} where state = ${state} and ${where} ${top})`,
              ),
            sql` union all `,
          )
        : sql`select * from ${table} where ${where} ${top}`
    }
    const { rows } = await sql<JobRow>`
      select ${columns} from (${first(ofFilter(), limit)}) as job ${order} limit ${sql.lit(limit)}
    `.execute(store.db)
    if (!query.count) return { rows }
    const counted = await sql<{ count: number }>`
      select count(*) from (select from (${first(filter, maxCounted + 1)}) as job
        limit ${sql.lit(maxCounted + 1)}) as counted
    `.execute(store.db)
    return { rows, more: { count: upTo(maxCounted, counted.rows[0]?.count ?? 0) } }
  },
})

/** Jobs of other scopes are invisible. */
export async function findJob(
  db: QueryExecutorProvider,
  store: JobStore,
  id: string,
  { isLocked = false, scope }: { isLocked?: boolean; scope: Scope },
): Promise<JobRow | undefined> {
  const lock = isLocked ? sql`for update` : sql``
  const { rows } = await sql<JobRow>`
    select ${columns} from ${jobTable(store.schema)} 
    where id = ${id} and ${inScope(scope, 'scope')} ${lock}`.execute(db)
  return rows[0]
}

/** Requeues a finished job as if it were new, with all its attempts. */
export async function requeueFinished(
  tx: QueryExecutorProvider,
  store: JobStore,
  id: string,
  maxAttempts: number,
): Promise<void> {
  await sql`
    update ${jobTable(store.schema)}
    set state = 'queued', attempts = 0, max_attempts = ${maxAttempts}, key = null, claim = null,
      due_at = ${timeOf(store)}, queued_at = ${timeOf(store)}, started_at = null,
      finished_at = null, cancel_requested_at = null, progress_done = null, progress_total = null
    where id = ${id}`.execute(tx)
}

/** Ends a waiting job immediately; a running one is asked to stop. */
export async function stopJob(
  tx: QueryExecutorProvider,
  store: JobStore,
  id: string,
): Promise<void> {
  await sql`
    update ${jobTable(store.schema)}
    set cancel_requested_at = coalesce(cancel_requested_at, ${timeOf(store)}),
      finished_at = case when state = 'queued' then ${timeOf(store)} else finished_at end,
      state = case when state = 'queued' then 'cancelled' else state end
    where id = ${id} and state in ('queued', 'running')`.execute(tx)
}
