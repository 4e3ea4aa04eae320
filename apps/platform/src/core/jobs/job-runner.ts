import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { withoutRow } from '../http/error-handler.ts'
import {
  atOnceOf,
  maxAttemptsOf,
  maxOfOwnerOf,
  type AnyJobDefinitions,
  type JobDefinition,
} from './define-jobs.ts'
import type { JobStore } from './job-tables.ts'
import {
  claimJobs,
  extendClaims,
  findDue,
  insertNextPeriod,
  type OwnerTurn,
} from './job.queries.ts'
import { ownerTurns } from './owner-turns.ts'
import { runJob, type Running, type StopReason } from './run-job.ts'

/** The jobs of one service, and the context of their runs. */
export interface ServiceJobs {
  store: JobStore
  definitions: AnyJobDefinitions
  context: unknown
}

export interface RunnerSettings {
  /** Polling interval for jobs that another process queued. */
  pollMs: number
  /** Lease of a claim: without renewal another process takes the job. */
  leaseMs: number
  /** Renewal interval, which also detects cancellations by other processes. */
  beatMs: number
  /** How long closing waits for runs that do not stop when asked. */
  closeMs: number
  /** Whether jobs with `everyMs` are queued. */
  hasRecurring: boolean
}

export const runnerSettings: RunnerSettings = {
  pollMs: 5000,
  leaseMs: 60_000,
  beatMs: 5000,
  closeMs: 5000,
  hasRecurring: true,
}

/**
 * Time for a transaction that has just queued a job to commit; the second poll catches longer ones.
 */
const commitMs = [50, 500]
/** Delay before rechecking what another process is claiming. */
const shortestMs = 20

export interface JobRunner {
  /** Polls soon: a job was queued, retried or cancelled in this process. */
  nudge: () => void
  /** Stops claiming, asks runs to stop and waits for them a while. */
  close: () => Promise<void>
}

/** One loop per process: runs the jobs of all its services, and sleeps until the next is due. */
export function startJobRunner(
  services: readonly ServiceJobs[],
  options: RunnerSettings & {
    secret: () => Promise<string>
    warn: (fields: object, message: string) => void
  },
): JobRunner {
  const { warn } = options
  const claim = randomUUID()
  const running = new Map<string, { run: Running; ended: Promise<void> }>()
  const timers = new Set<NodeJS.Timeout>()
  const closing = new AbortController()
  const turns = new Map(services.map(({ store }) => [store, ownerTurns()]))
  let wake = () => {}
  let isAwake = false

  const wakeUp = () => {
    isAwake = true
    wake()
  }
  const later = (ms: number, task: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      task()
    }, ms)
    timers.add(timer)
    return timer
  }
  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      if (isAwake || closing.signal.aborted) return resolve()
      const timer = later(ms, resolve)
      wake = () => {
        clearTimeout(timer)
        timers.delete(timer)
        resolve()
      }
    })
  const runsOf = ({ store }: ServiceJobs) =>
    [...running.values()].flatMap(({ run }) => (run.store === store ? [run] : []))
  const idsOf = (service: ServiceJobs) => runsOf(service).map(({ job }) => job.id)
  const turnsOf = (service: ServiceJobs): OwnerTurn[] =>
    turns.get(service.store)?.read(runsOf(service)) ?? []
  const fullOf = (service: ServiceJobs) => turnsOf(service).filter(({ isFull }) => isFull)

  const stop = (run: Running, reason: StopReason) => run.stop.abort(reason)
  const start = (run: Running) => {
    const ended = runJob(run)
      .catch((error: Error) => {
        // The claim expires, and the job runs again.
        warn({ err: withoutRow(error), job: run.job.name }, 'The end of a job was not written')
      })
      .finally(() => {
        running.delete(run.job.id)
        wakeUp()
      })
    running.set(run.job.id, { run, ended })
    if (closing.signal.aborted) stop(run, 'stopping')
  }

  /** No next run, or one written while the database's clock was ahead. */
  const isTooFar = (dueIn: number | undefined, everyMs: number) =>
    dueIn === undefined || dueIn > Math.max(everyMs, options.leaseMs)

  /** Starts what is due in one service; returns how long until the next is due. */
  async function look(service: ServiceJobs): Promise<number> {
    const { store, definitions, context } = service
    const free = new Map<string, number>()
    for (const [name, definition] of Object.entries(definitions)) {
      const { canRun = () => true } = definition as JobDefinition<unknown, unknown>
      const used = runsOf(service).filter(({ job }) => job.name === name)
      const atOnce = atOnceOf(definition)
      if (used.length < atOnce && canRun(context)) free.set(name, atOnce - used.length)
    }
    const due = await findDue(store, [...free.keys()], idsOf(service), fullOf(service))
    let soonest = Infinity
    for (const [name, limit] of free) {
      const definition = definitions[name] as JobDefinition<unknown, unknown>
      const dueIn = due.get(name)
      const { everyMs } = definition
      if (everyMs !== undefined && options.hasRecurring && isTooFar(dueIn, everyMs)) {
        const attempts = maxAttemptsOf(definition)
        if (await insertNextPeriod(store, name, everyMs, attempts)) soonest = shortestMs
      }
      if (dueIn === undefined) continue
      if (dueIn > 0) {
        soonest = Math.min(soonest, dueIn)
        continue
      }
      const { leaseMs, secret } = options
      const jobs = await claimJobs(store, name, {
        claim,
        leaseMs,
        limit,
        maxOfOwner: maxOfOwnerOf(definition),
        running: idsOf(service),
        turns: turnsOf(service).filter((turn) => turn.name === name),
      })
      for (const job of jobs) {
        turns.get(store)?.serve(job)
        start({ store, claim, job, definition, context, secret, stop: new AbortController(), warn })
      }
      // Another process is claiming it; otherwise the end of a run wakes the loop.
      if (jobs.length === 0) soonest = shortestMs
    }
    return soonest
  }

  async function loop(): Promise<void> {
    while (!closing.signal.aborted) {
      isAwake = false
      const waits = [options.pollMs]
      for (const service of services) {
        if (closing.signal.aborted) break
        await look(service).then(
          (ms) => waits.push(ms),
          (error: Error) => warn({ err: withoutRow(error) }, 'The jobs could not be read'),
        )
      }
      await sleep(Math.max(shortestMs, Math.min(...waits)))
    }
  }

  /** Renews the claims of running jobs, and stops those that were cancelled or taken over. */
  async function beat(): Promise<void> {
    for (const service of services) {
      const ids = idsOf(service)
      if (ids.length === 0) continue
      const kept = await extendClaims(service.store, claim, ids, options.leaseMs)
      for (const id of ids) {
        const entry = running.get(id)
        const state = kept.get(id)
        if (entry && !state) stop(entry.run, 'lost')
        else if (entry && state?.isCancelled) stop(entry.run, 'cancelled')
      }
    }
  }
  const beatSafely = () =>
    void beat().catch((error: Error) =>
      warn({ err: withoutRow(error) }, 'The claims of jobs were not extended'),
    )
  const beats = setInterval(beatSafely, options.beatMs)
  const looping = loop()

  return {
    nudge() {
      for (const ms of commitMs)
        later(ms, () => {
          wakeUp()
          beatSafely()
        })
    },
    async close() {
      closing.abort()
      wakeUp()
      for (const timer of timers) clearTimeout(timer)
      for (const { run } of running.values()) stop(run, 'stopping')
      const ended = looping.then(() => Promise.all([...running.values()].map((run) => run.ended)))
      await Promise.race([ended, wait(options.closeMs, undefined, { ref: false })])
      clearInterval(beats)
    },
  }
}
