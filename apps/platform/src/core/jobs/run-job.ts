import { unseal } from '../sealed.ts'
import { contextOf, inSpan, SpanKind } from '../tracing/tracing.ts'
import {
  backOffMs,
  giveUpAfterMsOf,
  JobError,
  type JobDefinition,
  type JobRun,
} from './define-jobs.ts'
import type { JobFailure, JobStore } from './job-tables.ts'
import { finishJob, requeueJob, setProgress, type ClaimedJob } from './job.queries.ts'

/** Why a run must stop. */
export type StopReason = 'cancelled' | 'stopping' | 'lost'

export interface Running {
  store: JobStore
  claim: string
  job: ClaimedJob
  definition: JobDefinition<unknown, unknown>
  context: unknown
  secret: () => Promise<string>
  stop: AbortController
  warn: (fields: object, message: string) => void
}

const progressMs = 500

/** Runs a claimed job once and records the outcome. */
export async function runJob(running: Running): Promise<void> {
  const { store, claim, job, definition } = running
  if (job.cancel_requested_at !== null) {
    await finishJob(store, claim, job.id, { state: 'cancelled' })
    return
  }
  const tooLate = whyTooLate(running)
  if (tooLate) return fail(running, tooLate, { hasRun: false })
  const progress = progressWriter(running)
  try {
    const input = await inputOf(running)
    await traced(running, () =>
      definition.run(running.context, input, {
        id: job.id,
        attempt: job.attempts,
        createdAt: job.created_at,
        signal: running.stop.signal,
        progress: progress.write,
      }),
    )
  } catch (error) {
    await progress.written()
    return endOf(running, error)
  }
  await progress.written()
  await finishJob(store, claim, job.id, { state: 'completed' })
}

/** One run is one span, in the trace of whatever queued the job. */
const traced = ({ store, job }: Running, work: () => Promise<void>) =>
  inSpan(
    `job ${job.name}`,
    {
      kind: SpanKind.CONSUMER,
      parent: contextOf(job.traceparent),
      attributes: {
        'grove.service': store.schema,
        'grove.job.id': job.id,
        'grove.job.attempt': job.attempts,
      },
    },
    work,
  )

async function inputOf({ job, definition, secret }: Running): Promise<unknown> {
  if (definition.sealedFor === undefined) return job.input
  const sealed = job.sealed_input ?? ''
  const key = await secret()
  try {
    return JSON.parse(unseal(sealed, key, definition.sealedFor))
  } catch (cause) {
    throw new JobError('unreadable_input', 'The input was sealed with another GROVE_SECRET.', {
      cause,
    })
  }
}

function whyTooLate({ job, definition }: Running): JobFailure | undefined {
  if (job.attempts > job.max_attempts)
    return {
      code: 'process_lost',
      message: 'The process that ran it stopped before it finished, each time.',
    }
  // A recurring job left by a stopped or killed process runs late: its next period waits for it.
  if (definition.everyMs === undefined && job.ageMs >= giveUpAfterMsOf(definition))
    return job.failure ?? { code: 'out_of_time', message: 'It could not run in time.' }
  return undefined
}

async function endOf(running: Running, error: unknown): Promise<void> {
  const { store, claim, job, definition, stop } = running
  if (stop.signal.aborted) {
    const reason = stop.signal.reason as StopReason
    if (reason === 'cancelled') await finishJob(store, claim, job.id, { state: 'cancelled' })
    if (reason === 'stopping') await requeueJob(store, claim, job.id, { delayMs: 0, failure: null })
    return
  }
  const failure = failureOf(error, definition.sealedFor !== undefined)
  const delayMs = backOffMs(definition, job.attempts)
  const isLast =
    (error instanceof JobError && error.isFinal) ||
    job.attempts >= job.max_attempts ||
    job.ageMs + delayMs >= giveUpAfterMsOf(definition)
  if (isLast) return fail(running, failure, { hasRun: true })
  if (!(await requeueJob(store, claim, job.id, { delayMs, failure }))) return
  running.warn(
    { ...factsOf(running, failure), attempts: job.attempts },
    'A job failed and is tried again later',
  )
}

async function fail(
  running: Running,
  failure: JobFailure,
  { hasRun }: { hasRun: boolean },
): Promise<void> {
  const { store, claim, job } = running
  if (!(await finishJob(store, claim, job.id, { state: 'failed', failure, hasRun }))) return
  running.warn(
    { ...factsOf(running, failure), attempts: job.attempts - (hasRun ? 0 : 1) },
    'A job failed and is given up',
  )
}

const factsOf = ({ store, job }: Running, { code, message }: JobFailure) => ({
  service: store.schema,
  job: job.name,
  id: job.id,
  code,
  ...(message !== null && { reason: message }),
})

function failureOf(error: unknown, isSealed: boolean): JobFailure {
  if (error instanceof JobError) return { code: error.code, message: error.message }
  const {
    name,
    message,
    code = name,
  }: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error))
  return { code: code.slice(0, 100), message: isSealed ? null : message.slice(0, 500) }
}

/** Writes the latest progress at most every half second, one write at a time. */
function progressWriter({ store, claim, job, warn }: Running) {
  let latest: [done: number, total: number] | undefined
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()
  const flush = () => {
    timer = undefined
    const progress = latest
    latest = undefined
    if (!progress) return
    writing = writing
      .then(() => setProgress(store, claim, job.id, ...progress))
      .catch((error: Error) => warn({ code: error.name }, 'The progress of a job was not written'))
  }
  const write: JobRun['progress'] = (done, total) => {
    const isFirst = latest === undefined && timer === undefined
    latest = [Math.trunc(done), Math.trunc(total)]
    if (isFirst) flush()
    timer ??= setTimeout(flush, progressMs)
  }
  return {
    write,
    written: () => {
      clearTimeout(timer)
      flush()
      return writing
    },
  }
}
