import { sql, type QueryExecutorProvider, type RawBuilder } from 'kysely'
import { jobTable, timeOf, type JobFailure, type JobStore } from './job-tables.ts'

export interface NewJob {
  name: string
  owner: string
  key: string | null
  input: string | null
  sealedInput: string | null
  maxAttempts: number
  /** ISO text; null: immediately. */
  runAt: string | null
  createdBy: string | null
  traceparent: string | null
  scope: string | null
}

/** Returns the id, or null if a job of this name and key is already waiting. */
export async function insertJob(
  tx: QueryExecutorProvider,
  store: JobStore,
  job: NewJob,
): Promise<string | null> {
  // Only the table of a service with scopes has the column.
  const [column, value] = job.scope === null ? [sql``, sql``] : [sql`, scope`, sql`, ${job.scope}`]
  const { rows } = await sql<{ id: string }>`
    insert into ${jobTable(store.schema)}
      (name, owner, key, input, sealed_input, max_attempts, due_at, created_by, traceparent, created_at, queued_at${column})
    values (${job.name}, ${job.owner}, ${job.key}, ${job.input}::jsonb, ${job.sealedInput}, ${job.maxAttempts},
      coalesce(${job.runAt}::timestamptz, ${timeOf(store)}), ${job.createdBy}, ${job.traceparent},
      ${timeOf(store)},
      ${timeOf(store)}${value})
    on conflict (name, key) where state = 'queued' and attempts = 0 do nothing
    returning id`.execute(tx)
  return rows[0]?.id ?? null
}

/** Queues the next period of a recurring job; false if that has been done. */
export async function insertNextPeriod(
  store: JobStore,
  name: string,
  everyMs: number,
  maxAttempts: number,
): Promise<boolean> {
  const everySeconds = everyMs / 1000
  const { rows } = await sql`
    insert into ${jobTable(store.schema)}
      (name, period, max_attempts, due_at, created_at, queued_at)
    select ${name}, next, ${maxAttempts}, next, ${timeOf(store)}, next
    from (select to_timestamp(
      (floor(extract(epoch from ${timeOf(store)}) / ${everySeconds}::numeric) + 1)
        * ${everySeconds}::numeric) as next) as period
    on conflict (name, period) do nothing
    returning id`.execute(store.db)
  return rows.length > 0
}

/** This process's view of the owners' turns at a job. */
export interface OwnerTurn {
  name: string
  owner: string
  /** Its current runs. */
  running: number
  /** At its limit: its other jobs wait. */
  isFull: boolean
  /** Increases with each started job; 0 for an owner without a recent one. */
  servedAt: number
}

const turnTable = (turns: readonly OwnerTurn[]) => sql`unnest(
  ${turns.map(({ name }) => name)}::text[], ${turns.map(({ owner }) => owner)}::text[],
  ${turns.map(({ running }) => running)}::int[], ${turns.map(({ servedAt }) => servedAt)}::float8[]
) as turn (name, owner, running, served_at)`

/** The owners with waiting jobs for each name, found by a loose index scan. */
const waitingOwners = (store: JobStore, names: readonly string[]) => {
  const next = (name: RawBuilder<unknown>, behind: RawBuilder<unknown>) => sql`(
    select job.owner from ${jobTable(store.schema)} as job
    where job.name = ${name} and job.state in ('queued', 'running') and ${behind}
    order by job.owner limit 1)`
  return sql`waiting (name, owner) as (
    select names.name, ${next(sql`names.name`, sql`true`)}
    from unnest(${names}::text[]) as names (name)
    union all
    select waiting.name, ${next(sql`waiting.name`, sql`job.owner > waiting.owner`)}
    from waiting where waiting.owner is not null
  )`
}

/**
 * Milliseconds until jobs are due, by name; names without one are left out, and so are owners at
 * their limit.
 */
export async function findDue(
  store: JobStore,
  names: readonly string[],
  /** Runs of this process, which renews their claims itself. */
  running: readonly string[],
  full: readonly OwnerTurn[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ name: string; wait: number }>`
    with recursive ${waitingOwners(store, names)}
    select waiting.name,
      (extract(epoch from min(due.due_at) - (${timeOf(store)})) * 1000)::float8 as wait
    from waiting cross join lateral (
      select due_at from ${jobTable(store.schema)} as job
      where job.name = waiting.name and job.owner = waiting.owner
        and state in ('queued', 'running') and id <> all(${running}::uuid[])
      order by due_at limit 1) as due
    where (waiting.name, waiting.owner) not in (
      select turn.name, turn.owner from ${turnTable(full)})
    group by waiting.name`.execute(store.db)
  return new Map(rows.map(({ name, wait }) => [name, wait]))
}

export interface ClaimedJob {
  id: string
  name: string
  owner: string
  input: unknown
  sealed_input: string | null
  attempts: number
  max_attempts: number
  created_at: string
  traceparent: string | null
  cancel_requested_at: string | null
  /** Of the previous attempt. */
  failure: JobFailure | null
  /** Since it was queued or retried, in milliseconds. */
  ageMs: number
}

interface Claim {
  claim: string
  leaseMs: number
  limit: number
  maxOfOwner: number
  running: readonly string[]
  turns: readonly OwnerTurn[]
}

/**
 * Claims due jobs of a name for this process; counts the attempt. The owner with the fewest runs
 * comes first, then the one who has waited longest: an owner with many jobs delays only its own.
 */
export async function claimJobs(
  store: JobStore,
  name: string,
  { claim, leaseMs, limit, maxOfOwner, running, turns }: Claim,
): Promise<ClaimedJob[]> {
  const table = jobTable(store.schema)
  const { rows } = await sql<ClaimedJob>`
    with recursive ${waitingOwners(store, [name])},
    chosen as (
      select due.id from waiting
      left join ${turnTable(turns)} on turn.name = waiting.name and turn.owner = waiting.owner
      cross join lateral (
        select job.id, job.due_at, row_number() over (order by job.due_at) as place from (
          select id, due_at from ${table} as job
          where job.name = waiting.name and job.owner = waiting.owner
            and state in ('queued', 'running') and due_at <= ${timeOf(store)}
            and id <> all(${running}::uuid[])
          order by due_at
          limit greatest(0, ${sql.lit(maxOfOwner)} - coalesce(turn.running, 0))) as job) as due
      order by due.place + coalesce(turn.running, 0), turn.served_at nulls first, due.due_at
      limit ${sql.lit(limit)}
    )
    update ${table} set state = 'running', attempts = attempts + 1, claim = ${claim},
      started_at = ${timeOf(store)}, due_at = ${timeOf(store, leaseMs)},
      progress_done = null, progress_total = null
    where id in (
      select id from ${table}
      where id in (select id from chosen)
        and state in ('queued', 'running') and due_at <= ${timeOf(store)}
      for update skip locked
    )
    returning id, name, owner, input, sealed_input, attempts, max_attempts, created_at,
      traceparent, cancel_requested_at, failure,
      (extract(epoch from ${timeOf(store)} - queued_at) * 1000)::float8 as "ageMs"`.execute(
    store.db,
  )
  return rows
}

/**
 * Renews claims for another lease; returns those still held, and which of them are to be cancelled.
 */
export async function extendClaims(
  store: JobStore,
  claim: string,
  ids: readonly string[],
  leaseMs: number,
): Promise<Map<string, { isCancelled: boolean }>> {
  const { rows } = await sql<{ id: string; isCancelled: boolean }>`
    update ${jobTable(store.schema)} set due_at = ${timeOf(store, leaseMs)}
    where id = any(${ids}::uuid[]) and claim = ${claim} and state = 'running'
    returning id, cancel_requested_at is not null as "isCancelled"`.execute(store.db)
  return new Map(rows.map(({ id, isCancelled }) => [id, { isCancelled }]))
}

export async function setProgress(
  store: JobStore,
  claim: string,
  id: string,
  done: number,
  total: number,
): Promise<void> {
  await sql`
    update ${jobTable(store.schema)} set progress_done = ${done}, progress_total = ${total}
    where id = ${id} and claim = ${claim} and state = 'running'`.execute(store.db)
}

/**
 * A finished job keeps its input only if it may be retried. False if the claim was lost and nothing
 * was written.
 */
export async function finishJob(
  store: JobStore,
  claim: string,
  id: string,
  outcome:
    | { state: 'completed' | 'cancelled' }
    | { state: 'failed'; failure: JobFailure; hasRun: boolean },
): Promise<boolean> {
  const hasFailed = outcome.state === 'failed'
  const uncounted = hasFailed && !outcome.hasRun ? 1 : 0
  const { rows } = await sql`
    update ${jobTable(store.schema)}
    set state = ${outcome.state}, claim = null, attempts = attempts - ${uncounted}::int, finished_at = ${timeOf(store)},
      failure = ${hasFailed ? JSON.stringify(outcome.failure) : null}::jsonb,
      failed_at = case when ${hasFailed} then ${timeOf(store)} else failed_at end,
      input = case when ${outcome.state} = 'completed' then null else input end,
      sealed_input = case when ${outcome.state} = 'completed' then null else sealed_input end
    where id = ${id} and claim = ${claim} and state = 'running' returning id`.execute(store.db)
  return rows.length > 0
}

/**
 * Requeues a job after a failed attempt; without a failure its run was interrupted and does not
 * count. False if the claim was lost.
 */
export async function requeueJob(
  store: JobStore,
  claim: string,
  id: string,
  options: { delayMs: number; failure: JobFailure | null },
): Promise<boolean> {
  const failure = options.failure && JSON.stringify(options.failure)
  const { rows } = await sql`
    update ${jobTable(store.schema)}
    set state = 'queued', claim = null, due_at = ${timeOf(store, options.delayMs)},
      failed_at = case when ${failure}::jsonb is null then failed_at else ${timeOf(store)} end,
      failure = coalesce(${failure}::jsonb, failure),
      max_attempts = max_attempts + case when ${failure}::jsonb is null then 1 else 0 end
    where id = ${id} and claim = ${claim} and state = 'running' returning id`.execute(store.db)
  return rows.length > 0
}

/** Deletes finished jobs older than the limit of their state, a thousand at a time. */
export async function deleteFinishedJobs(
  store: JobStore,
  keptMs: { completed: number; failed: number },
): Promise<number> {
  const table = jobTable(store.schema)
  const { rows } = await sql<{ id: string }>`
    delete from ${table} where id in (
      select id from ${table}
      where state in ('completed', 'cancelled', 'failed')
        and finished_at < case when state = 'failed'
          then ${timeOf(store, -keptMs.failed)} else ${timeOf(store, -keptMs.completed)} end
      limit 1000 for update skip locked)
    returning id`.execute(store.db)
  return rows.length
}
