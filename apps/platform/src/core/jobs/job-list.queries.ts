import { sql, type QueryExecutorProvider, type RawBuilder } from 'kysely'
import type { KeysetRange } from '../database/keyset-page.ts'
import { jobTable, timeOf, type JobFailure, type JobState, type JobStore } from './job-tables.ts'

/** A job without its input, which may hold what an admin need not see. */
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

export interface JobFilter {
  states?: readonly JobState[] | undefined
  name?: string | undefined
}

const columns = sql`id, name, state, attempts, max_attempts, due_at, progress_done, progress_total,
  cancel_requested_at is not null as is_cancelling, period is not null as is_recurring,
  input is not null or sealed_input is not null or period is not null as has_input,
  failure, created_by, created_at, started_at, finished_at`

/** The newest first. */
export async function pageOfJobs(
  store: JobStore,
  { states, name }: JobFilter,
  { after, isBackward, limit }: KeysetRange,
): Promise<JobRow[]> {
  const conditions: RawBuilder<unknown>[] = [sql`true`]
  if (name !== undefined) conditions.push(sql`name = ${name}`)
  if (after) {
    const than = sql.raw(isBackward ? '>' : '<')
    conditions.push(
      sql`(created_at, id) ${than} (${after.value}::timestamptz, ${after.tiebreak}::uuid)`,
    )
  }
  const order = sql.raw(isBackward ? 'asc' : 'desc')
  const range = sql`${sql.join(conditions, sql` and `)}`
  const top = sql`order by created_at ${order}, id ${order} limit ${sql.lit(limit)}`
  const table = jobTable(store.schema)
  // Each state is one range of an index; together they are merged.
  const source = states
    ? sql.join(
        states.map(
          (state) => sql`(select * from ${table} where state = ${state} and ${range} ${top})`,
        ),
        sql` union all `,
      )
    : sql`select * from ${table} where ${range} ${top}`
  const { rows } = await sql<JobRow>`select ${columns} from (${source}) as job ${top}`.execute(
    store.db,
  )
  return rows
}

export async function findJob(
  db: QueryExecutorProvider,
  store: JobStore,
  id: string,
  options: { isLocked?: boolean } = {},
): Promise<JobRow | undefined> {
  const lock = options.isLocked ? sql`for update` : sql``
  const { rows } = await sql<JobRow>`
    select ${columns} from ${jobTable(store.schema)} where id = ${id} ${lock}`.execute(db)
  return rows[0]
}

/** Puts a finished job back as if it had just been written, with all its attempts. */
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

/** Ends a waiting job at once; a running one is asked to stop. */
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
