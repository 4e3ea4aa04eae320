import { ProblemError } from '../../../core/http/problem.ts'
import { everything, scopeOfService } from '../../../core/scope.ts'
import type { RolloutServiceContext } from './context.ts'
import { advance } from './advance.ts'
import {
  elementsOf,
  endExecution,
  isServed,
  keepDone,
  keepStartId,
  lastSession,
  leftExecutions,
  setSession,
  type ClaimedExecution,
} from './execution.queries.ts'
import { lockRollout, type RolloutRow } from './rollout.queries.ts'
import type { ProgramResult, ProgramTarget } from './program.ts'
import type { signingOf } from './token-plan.ts'
import { programOf, rolloutActor, type MountedProgram } from './programs.ts'

const minuteMs = 60_000
/** Before a device that cannot be reached is tried again; doubled each time. */
const firstRetryMs = 15_000
const maxRetryMs = 15 * minuteMs

/** Whether Grove signs tokens for a rollout. */
export type Signing = Awaited<ReturnType<typeof signingOf>>

interface Work {
  rollout: RolloutRow
  program: MountedProgram<unknown>
  version: unknown
  signing: Signing
  claim: string
  signal: AbortSignal
}

/** Runs the program on one device, and records the outcome. */
export async function runExecution(
  context: RolloutServiceContext,
  work: Work,
  execution: ClaimedExecution,
): Promise<void> {
  const { deviceId } = execution
  const { rollout, claim } = work
  const result = await outcomeOf(context, work, execution)
  // It stays as it is until `followStarted` finds its end.
  if (result.state === 'under_way') return
  // An interrupted program is judged by its session, as after a crash.
  if (work.signal.aborted && result.state !== 'succeeded') return
  await context.db.transaction().execute(async (tx) => {
    const held = await lockRollout(tx, rollout.id, everything)
    if (!held) return
    const ending = endingOf(result, held, execution, context.now())
    if (await endExecution(tx, rollout.id, { deviceId, claim }, ending))
      await advance(tx, rollout.id, { now: context.now() })
  })
}

async function outcomeOf(
  context: RolloutServiceContext,
  { rollout, program, version, signing, claim, signal }: Work,
  { deviceId, done }: ClaimedExecution,
): Promise<ProgramResult> {
  if (version === undefined) return { state: 'failed', cause: 'program_gone' }
  if (signing === 'changed') return { state: 'failed', cause: 'plan_changed' }
  const actor = rolloutActor(rollout)
  // Since it was found, the device may have been retired or transferred.
  if (!(await isServed(context.db, deviceId, scopeOfService(rollout.serviceId))))
    return { state: 'skipped', cause: 'device_gone' }
  const targets: ProgramTarget[] = program.needsElement
    ? (await elementsOf(context.db, deviceId)).map((cplc) => ({ cplc, deviceId }))
    : [{ deviceId }]
  if (targets.length === 0) return { state: 'skipped', cause: 'no_element' }
  const at = { rolloutId: rollout.id, deviceId, claim }
  const deadline = deadlineAfter(context, rollout.plan.runMinutes * minuteMs)
  try {
    let result: ProgramResult = { state: 'succeeded' }
    const proofs: string[] = []
    for (const target of targets) {
      const { cplc } = target
      if (cplc !== undefined && done.includes(cplc)) continue
      result = await program.run(context, {
        actor,
        version,
        input: rollout.program.input,
        target,
        isApproved: signing === 'approved',
        minutes: rollout.plan.runMinutes,
        startId: () => keepStartId(context.db, at),
        signal: AbortSignal.any([signal, deadline.signal]),
        onSession: async (sessionId) => {
          deadline.watch(sessionId)
          // Another process may have judged the device in the meantime: then nothing is sent.
          if (!(await setSession(context.db, at, sessionId)))
            throw new Error('The device was taken from this process.')
        },
      })
      if (result.state !== 'succeeded') break
      if (result.cause !== undefined) proofs.push(result.cause)
      if (cplc !== undefined && targets.length > 1) await keepDone(context.db, at, cplc)
    }
    return deadline.signal.aborted && result.state === 'failed'
      ? { ...result, state: 'timed_out', cause: 'too_long' }
      : result.state === 'succeeded' && proofs.length > 0
        ? { ...result, cause: gravest(proofs) }
        : result
  } catch (error) {
    return deadline.signal.aborted
      ? { state: 'timed_out', cause: 'too_long' }
      : { state: 'failed', cause: wordsOf(error) }
  } finally {
    deadline.clear()
  }
}

/** If a receipt is wrong on one of several elements, people must see that one. */
const gravest = (proofs: readonly string[]): string =>
  proofs.find((proof) => proof.startsWith('receipt_wrong')) ??
  proofs.find((proof) => proof.startsWith('receipt_unchecked')) ??
  proofs.at(-1) ??
  ''

/**
 * Ends the session of a program that exceeds its time limit, so that it cannot change the card any
 * more.
 */
function deadlineAfter({ sessions }: RolloutServiceContext, ms: number) {
  const controller = new AbortController()
  let sessionId: string | undefined
  const timer = setTimeout(() => {
    controller.abort()
    if (sessionId !== undefined) void sessions.live.get(sessionId)?.end('finished')
  }, ms)
  timer.unref()
  return {
    signal: controller.signal,
    watch: (id: string) => (sessionId = id),
    clear: () => clearTimeout(timer),
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof ProblemError) return error.message
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}

/** What cannot be reached waits for its next try, as long as its group waits for devices. */
function endingOf(
  { state, cause, sessionId, isTransient = false }: ProgramResult,
  { plan, groups }: RolloutRow,
  { group, attempts }: ClaimedExecution,
  now: number,
) {
  if (state === 'under_way') throw new Error('The device is still at work.')
  if (!isTransient || state !== 'failed') return { state, cause, sessionId }
  const startedAt = groups.find(({ number }) => number === group)?.startedAt
  const until = Date.parse(startedAt ?? '') + plan.startHours * 60 * minuteMs
  if (!(now < until)) return { state: 'timed_out' as const, cause, sessionId }
  const delay = Math.min(firstRetryMs * 2 ** Math.min(attempts - 1, 10), maxRetryMs)
  return { state: 'queued' as const, notBefore: Math.min(now + delay, until), sessionId }
}

/**
 * Judges the devices of an interrupted run by their sessions. If no session sent anything, the device
 * waits again; everything else is a failure, because its outcome is unknown: nothing is repeated that
 * may have happened.
 */
export async function settleLeft(
  context: Pick<RolloutServiceContext, 'db' | 'now'>,
  rollout: RolloutRow,
  claim?: string,
): Promise<void> {
  const { db } = context
  const { id } = rollout
  // Its devices continue on their own.
  if (programOf(rollout.program.kind).look) return
  for (const left of await leftExecutions(db, id, claim)) {
    const session = await lastSession(db, {
      deviceId: left.deviceId,
      since: left.startedAt,
      openedBy: rollout.createdBy,
    })
    const isUntouched = (session?.exchanges ?? 0) === 0
    await db.transaction().execute(async (tx) => {
      if (!(await lockRollout(tx, id, everything))) return
      const ending = isUntouched
        ? ({ state: 'queued', notBefore: context.now() } as const)
        : ({
            state: 'failed',
            cause: session?.failure?.code ?? 'unknown',
            sessionId: session?.id ?? left.sessionId ?? undefined,
          } as const)
      if (await endExecution(tx, id, left, ending)) await advance(tx, id, { now: context.now() })
    })
  }
}
