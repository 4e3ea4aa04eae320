import type { Calls } from '@grove/contract/calls'
import type { Job } from '@grove/contract/core/job'
import type { QueryOf, ResponseOf, ServiceName } from '@grove/contract/call'
import { scopeOf } from '../scope.ts'
import type { Actor } from '../actor.ts'
import type { Events, JobAction } from '../events/define-events.ts'
import { ProblemError } from '../http/problem.ts'
import { maxAttemptsOf, type AnyJobDefinitions } from './define-jobs.ts'
import { findJob, jobList, requeueFinished, stopJob, type JobRow } from './job-list.queries.ts'
import type { JobStore } from './job-tables.ts'
import { assertAllowed, rightsOf } from './job.rules.ts'

type List = Calls[`GET /api/${ServiceName}/job`]

export interface JobAdmin {
  store: JobStore
  definitions: AnyJobDefinitions
  events: Events<JobAction>
  /** Notifies this process's runner that a job was changed. */
  nudge: () => void
}

export async function listJobs(
  admin: JobAdmin,
  actor: Actor,
  query: QueryOf<List>,
): Promise<ResponseOf<List>> {
  const page = await jobList.read(admin.store, query, scopeOf(actor))
  return {
    ...page,
    items: page.items.map((row) => jobOf(admin, actor, row)),
    names: Object.keys(admin.definitions).sort(),
  }
}

export async function getJob(admin: JobAdmin, actor: Actor, id: string): Promise<Job> {
  const { store } = admin
  const found = await findJob(store.db, store, id, { scope: scopeOf(actor) })
  return jobOf(admin, actor, found ?? missing(id))
}

/** @throws ProblemError `not_found`, `job_not_finished` or `job_input_gone`. */
export function retryJob(admin: JobAdmin, actor: Actor, id: string): Promise<Job> {
  return change(admin, actor, id, 'job.retry', ({ name }, tx) => {
    const definition = admin.definitions[name]
    // The policy refuses a job without one.
    if (!definition) throw new Error(`There is no job named ${name}.`)
    return requeueFinished(tx, admin.store, id, maxAttemptsOf(definition))
  })
}

/** @throws ProblemError `not_found` or `job_finished`. */
export function cancelJob(admin: JobAdmin, actor: Actor, id: string): Promise<Job> {
  return change(admin, actor, id, 'job.cancel', (_, tx) => stopJob(tx, admin.store, id))
}

async function change(
  admin: JobAdmin,
  actor: Actor,
  id: string,
  action: JobAction,
  make: (row: JobRow, tx: JobStore['db']) => Promise<void>,
): Promise<Job> {
  const { store, events, nudge } = admin
  const after = await store.db.transaction().execute(async (tx) => {
    const asked = { isLocked: true, scope: scopeOf(actor) }
    const before = (await findJob(tx, store, id, asked)) ?? missing(id)
    assertAllowed(actor, action, factsOf(admin, before))
    await make(before, tx)
    const row = (await findJob(tx, store, id, asked)) ?? missing(id)
    await events.record(tx, actor, action, id, { before: eventOf(before), after: eventOf(row) })
    return jobOf(admin, actor, row)
  })
  nudge()
  return after
}

const eventOf = ({ name, state, attempts }: JobRow) => ({ name, state, attempts })

function missing(id: string): never {
  throw new ProblemError('not_found', `There is no job ${id}.`)
}

const factsOf = ({ definitions }: JobAdmin, { name, state, has_input }: JobRow) => ({
  state,
  canRun: has_input && definitions[name] !== undefined,
})

const jobOf = (admin: JobAdmin, actor: Actor, row: JobRow): Job => ({
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
  rights: rightsOf(actor, factsOf(admin, row), { retry: 'job.retry', cancel: 'job.cancel' }),
})
