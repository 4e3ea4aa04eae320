import { setTimeout as wait } from 'node:timers/promises'
import type { JobDefinition, JobRun } from '../../../core/jobs/define-jobs.ts'
import { everything, scopeOfService } from '../../../core/scope.ts'
import type { RolloutServiceContext } from './context.ts'
import { joinLate, prepare } from './find-devices.ts'
import { followStarted } from './follow-started.ts'
import { nextExecution } from './next-execution.ts'
import { programOf } from './programs.ts'
import { findRollout, hastenJobs, rolloutsUnderWay, type RolloutRow } from './rollout.queries.ts'
import { runExecution, settleLeft, type Signing } from './run-execution.ts'
import { beginReady } from './rollout.service.ts'
import { signingOf } from './token-plan.ts'
import { keyOf, turnOfRollout, wakeRollout, type RolloutInput } from './wake-rollout.ts'

/** Devices of one rollout that one run of the job works on at a time; further runs help it. */
const devicesOfRun = 4
/** After this time a run yields to those of other rollouts. */
const sliceMs = 20_000
/** Polling interval while devices are working, whose ends may start a group. */
const lookMs = 300
/** How long a run waits for the next device before it yields. */
const patienceMs = 1_000
const tickMs = 60_000
/** Polling interval for devices that work on their own. */
const followMs = 1_000
const pausedMs = 5_000

/**
 * Drives a rollout: finds its devices, starts them according to its plan, and records each outcome. A
 * process that dies loses its claim on the job; the run that takes over judges the devices in
 * progress by their sessions.
 */
export const rolloutJob: JobDefinition<RolloutServiceContext, RolloutInput> = {
  atOnce: 16,
  maxAttempts: 50,
  firstDelayMs: 1_000,
  maxDelayMs: 60_000,
  async run(context, input, job) {
    const { db, jobs } = context
    const { id, lane } = input
    const found = await findRollout(db, id, everything)
    if (!found) return
    await settleLeft(context, found, job.id)
    if (lane !== 0) return void (await work(context, id, job))
    const plan = async (ms: number) => {
      const runAt = new Date(context.now() + Math.min(ms, tickMs))
      const key = keyOf(input)
      const options = { ...turnOfRollout(found), key, runAt }
      if (!(await jobs.enqueue(db, 'rollout.run', input, options)))
        await hastenJobs(db, [key], runAt)
    }
    const again = await drive(context, found, job, plan)
    if (again !== undefined) await plan(again)
  },
}

/** Returns in how many milliseconds the rollout needs another run; undefined if it needs none. */
async function drive(
  context: RolloutServiceContext,
  found: RolloutRow,
  job: JobRun,
  plan: (ms: number) => Promise<void>,
): Promise<number | undefined> {
  const { id } = found
  if (found.state === 'ready') {
    const startsInMs = Date.parse(found.plan.startsAt ?? '') - context.now()
    if (startsInMs > 0) return startsInMs
    await beginReady(context, id)
  }
  await prepare(context, id, job.signal)
  const rollout = await findRollout(context.db, id, everything)
  if (!rollout) return undefined
  await settleLeft(context, rollout)
  const follow = () => followStarted(context, rollout, job.signal)
  await follow()
  await joinLate(context, rollout, job.signal)
  for (let lane = 1; lane <= helpersOf(rollout); lane++) {
    const input = { id, lane }
    const options = { ...turnOfRollout(rollout), key: keyOf(input) }
    await context.jobs.enqueue(context.db, 'rollout.run', input, options)
  }
  const again = await work(context, id, job, { follow, plan })
  if (again !== undefined) return again
  // While it is paused nothing starts, and devices still end.
  return (await follow()) > 0 ? pausedMs : undefined
}

/** Limited by the number of devices; work that devices do on their own starts quickly. */
function helpersOf({ state, groups, plan, program }: RolloutRow): number {
  if (state !== 'running' || programOf(program.kind).look) return 0
  const queued = groups.reduce(
    (sum, group) => sum + (group.state === 'running' ? group.queued : 0),
    0,
  )
  return Math.min(Math.ceil(plan.atOnce / devicesOfRun), Math.ceil(queued / devicesOfRun)) - 1
}

async function work(
  context: RolloutServiceContext,
  id: string,
  { id: claim, signal, progress }: JobRun,
  driver?: { follow: () => Promise<unknown>; plan: (ms: number) => Promise<void> },
): Promise<number | undefined> {
  const until = performance.now() + sliceMs
  const atWork = new Set<Promise<void>>()
  const failures: unknown[] = []
  let loaded: Promise<[unknown, Signing]> | undefined
  let again: number | undefined = 0
  let followedAt = performance.now()
  let isPlanned = false
  const start = (next: Extract<Awaited<ReturnType<typeof nextExecution>>, { kind: 'run' }>) => {
    const { rollout, execution } = next
    const program = programOf(rollout.program.kind)
    const scope = scopeOfService(rollout.serviceId)
    loaded ??= Promise.all([
      program.load(context, {
        id: rollout.program.id,
        scope,
        version: rollout.program.version,
      }),
      signingOf(context.db, rollout),
    ])
    const running = loaded
      .then(([version, signing]) =>
        runExecution(context, { rollout, program, version, signing, claim, signal }, execution),
      )
      .catch((error: unknown) => {
        failures.push(error)
      })
      .finally(() => atWork.delete(running))
    atWork.add(running)
  }

  while (failures.length === 0 && !signal.aborted && performance.now() < until) {
    if (atWork.size >= devicesOfRun) {
      await Promise.race(atWork)
      continue
    }
    const next = await nextExecution(context, id, claim)
    if (next.kind === 'run') {
      const { groups } = next.rollout
      progress(
        groups.reduce((sum, { total, queued, running }) => sum + total - queued - running, 0),
        groups.reduce((sum, { total }) => sum + total, 0),
      )
      start(next)
      isPlanned = false
    }
    if (next.kind === 'over') again = undefined
    if (next.kind === 'over') break
    if (next.kind !== 'wait') continue
    if (driver && next.isAnyRunning && performance.now() - followedAt > followMs) {
      await driver.follow()
      followedAt = performance.now()
      continue
    }
    const isIdle = atWork.size === 0 && !next.isAnyRunning
    if (isIdle && next.ms > patienceMs) {
      again = next.ms
      if (isPlanned || !driver) break
      // A device that connects now either finds the next run, or is found by one more poll.
      await driver.plan(again)
      isPlanned = true
      continue
    }
    await Promise.race([...atWork, wait(Math.min(next.ms, lookMs), undefined, { ref: false })])
  }
  await Promise.all(atWork)
  if (failures.length > 0) throw failures[0]
  signal.throwIfAborted()
  return again
}

/** Wakes what a killed process, or a failed job, left asleep. */
export async function tickRollouts({
  db,
  jobs,
}: Pick<RolloutServiceContext, 'db' | 'jobs'>): Promise<void> {
  for (const { id } of await rolloutsUnderWay(db)) {
    const rollout = await findRollout(db, id, everything)
    if (rollout) await wakeRollout({ db, jobs }, rollout)
  }
}
