import {
  canCancelJob,
  canRetryJob,
  type Calls,
  type Job,
  type QueryOf,
  type ResponseOf,
  type ServiceName,
} from '@grove/contract'
import type { Actor } from '../actor.ts'
import type { Events, JobAction } from '../events/define-events.ts'
import { ProblemError } from '../http/problem.ts'
import { maxAttemptsOf, type AnyJobDefinitions } from './define-jobs.ts'
import { findJob, jobList, requeueFinished, stopJob, type JobRow } from './job-list.queries.ts'
import type { JobStore } from './job-tables.ts'

type List = Calls[`GET /api/${ServiceName}/job`]

export interface JobAdmin {
  store: JobStore
  definitions: AnyJobDefinitions
  events: Events<JobAction>
  /** Tells the runner of this process that a job was changed. */
  nudge: () => void
}

export async function listJobs(
  { store, definitions }: JobAdmin,
  query: QueryOf<List>,
): Promise<ResponseOf<List>> {
  const page = await jobList.read(store, query)
  return { ...page, items: page.items.map(jobOf), names: Object.keys(definitions).sort() }
}

export async function getJob({ store }: JobAdmin, id: string): Promise<Job> {
  return jobOf((await findJob(store.db, store, id)) ?? missing(id))
}

/** @throws ProblemError `not_found`, `job_not_finished` or `job_input_gone`. */
export function retryJob(admin: JobAdmin, actor: Actor, id: string): Promise<Job> {
  return change(admin, actor, id, 'job.retry', (row, tx) => {
    if (!canRetryJob(row.state))
      throw new ProblemError('job_not_finished', 'Only a failed or cancelled job can run again.')
    const definition = admin.definitions[row.name]
    if (!row.has_input || !definition)
      throw new ProblemError(
        'job_input_gone',
        'Its input is no longer kept, or no job has its name.',
      )
    return requeueFinished(tx, admin.store, id, maxAttemptsOf(definition))
  })
}

/** @throws ProblemError `not_found` or `job_finished`. */
export function cancelJob(admin: JobAdmin, actor: Actor, id: string): Promise<Job> {
  return change(admin, actor, id, 'job.cancel', (row, tx) => {
    if (!canCancelJob(row.state))
      throw new ProblemError('job_finished', 'The job has finished; there is nothing to cancel.')
    return stopJob(tx, admin.store, id)
  })
}

async function change(
  { store, events, nudge }: JobAdmin,
  actor: Actor,
  id: string,
  action: JobAction,
  make: (row: JobRow, tx: JobStore['db']) => Promise<void>,
): Promise<Job> {
  const after = await store.db.transaction().execute(async (tx) => {
    const before = (await findJob(tx, store, id, { isLocked: true })) ?? missing(id)
    await make(before, tx)
    const row = (await findJob(tx, store, id)) ?? missing(id)
    await events.record(tx, actor, action, id, { before: told(before), after: told(row) })
    return jobOf(row)
  })
  nudge()
  return after
}

const told = ({ name, state, attempts }: JobRow) => ({ name, state, attempts })

function missing(id: string): never {
  throw new ProblemError('not_found', `There is no job ${id}.`)
}

const jobOf = (row: JobRow): Job => ({
  id: row.id,
  name: row.name,
  state: row.state,
  attempts: row.attempts,
  maxAttempts: row.max_attempts,
  dueAt: row.due_at,
  progress:
    row.progress_done === null || row.progress_total === null
      ? null
      : { done: row.progress_done, total: row.progress_total },
  isCancelling: row.is_cancelling && row.state === 'running',
  isRecurring: row.is_recurring,
  failure: row.failure,
  createdBy: row.created_by,
  createdAt: row.created_at,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
})
