import { setTimeout as wait } from 'node:timers/promises'
import { sql, type QueryExecutorProvider } from 'kysely'
import type { Db } from '../../database/database.ts'
import { defineJobs, JobError } from '../define-jobs.ts'
import { createJobQueue, type EnqueueOptions } from '../job-queue.ts'
import { runnerSettings, startJobRunner, type RunnerSettings } from '../job-runner.ts'
import type { JobTable } from '../job-tables.ts'

/** A service with nothing but jobs. */
export const orchard = {
  service: 'orchard',
  folder: new URL('./migrations/', import.meta.url),
}

export type OrchardTables = {
  'orchard.job': JobTable
  'orchard.trace': { id: number; job: string; text: string }
}

export interface OrchardContext {
  db: Db
  /** What each run does after leaving its trace. */
  onRun: (input: string, signal: AbortSignal) => Promise<void>
}

export type OrchardJobs = {
  pick: string
  press: string
  letter: { to: string; token: string } | null
  bulk: number
  sweep: null
  weed: null
}

async function leaveTrace(db: Db, job: string, text: string): Promise<void> {
  await sql`insert into orchard.trace (job, text) values (${job}, ${text})`.execute(db)
}

export const orchardJobs = defineJobs<OrchardContext, OrchardJobs>({
  pick: {
    maxAttempts: 3,
    atOnce: 4,
    run: async ({ db, onRun }, input, { id, signal }) => {
      await leaveTrace(db, id, input)
      await onRun(input, signal)
    },
  },
  press: {
    giveUpAfterMs: 60_000,
    maxAttempts: 1000,
    run: async ({ onRun }, input, { signal }) => onRun(input, signal),
  },
  letter: {
    sealedFor: 'letter',
    maxAttempts: 2,
    run: async (_context, letter) => {
      if (letter?.token === 'refused')
        throw Object.assign(new Error(`no such mailbox: ${letter.to}`), { code: 'EENVELOPE' })
      if (letter?.token === 'ended')
        throw new JobError('ended', 'The link ended.', { isFinal: true })
    },
  },
  bulk: {
    run: async ({ onRun }, total, { progress, signal }) => {
      for (let done = 1; done <= total; done++) {
        progress(done, total)
        await onRun(String(done), signal)
      }
    },
  },
  weed: { isOwnless: true, run: async () => {} },
  sweep: {
    everyMs: 3600_000,
    run: async ({ db }, _input, { id }) => leaveTrace(db, id, 'sweep'),
  },
})

/** Never resolves, but rejects when the job must stop. */
export const untilStopped = (signal: AbortSignal) =>
  wait(600_000, undefined, { signal, ref: false })

export interface OrchardProcess extends ReturnType<typeof startOrchard> {}

/** One process of the service: its queue and its runner, on a shared database. */
export function startOrchard(
  db: Db,
  options: Partial<RunnerSettings> & {
    onRun?: OrchardContext['onRun']
    passedMs?: () => number
    warn?: (fields: object, message: string) => void
    secret?: string
  } = {},
) {
  const { onRun = async () => {}, passedMs = () => 0, warn = () => {} } = options
  const secret = async () => options.secret ?? 'a secret of the tests'
  const store = { db, schema: 'orchard', passedMs }
  const runner = startJobRunner(
    [{ store, definitions: orchardJobs, context: { db, onRun } satisfies OrchardContext }],
    { ...runnerSettings, pollMs: 100, beatMs: 100, hasRecurring: false, ...options, secret, warn },
  )
  const queue = createJobQueue<OrchardJobs>(store, orchardJobs, {
    secret,
    nudge: () => runner.nudge(),
  })
  const enqueue = <Name extends keyof OrchardJobs>(
    tx: QueryExecutorProvider,
    name: Name,
    input: OrchardJobs[Name],
    given: Partial<EnqueueOptions> = {},
  ) => queue.enqueue(tx, name, input, { owner: 'gardener', ...given })
  return { ...queue, ...runner, enqueue, store }
}
