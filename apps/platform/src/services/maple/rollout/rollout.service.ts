import { randomUUID } from 'node:crypto'
import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { Rollout, RolloutPolicy } from '@grove/contract/maple/rollout/rollout'
import {
  maxRolloutNameLength,
  retriedStates,
  type ResumeChoice,
  type RetriedState,
} from '@grove/contract/maple/rollout/rollout.rules'
import { processActor, type Actor, type AnyActor } from '../../../core/actor.ts'
import { atRevision } from '../../../core/http/at-revision.ts'
import { invalidField, ProblemError } from '../../../core/http/problem.ts'
import { storedName } from '../../../core/http/stored-name.ts'
import { everything, scopeOf, scopeOfService, serviceOf } from '../../../core/scope.ts'
import { needsApproval } from '../access/approval/approval.service.ts'
import { type RolloutServiceContext, rolloutEvents as events } from './context.ts'
import { choiceOf } from '../fleet/device/device-choice.ts'
import type { DeviceFilterQuery } from '../fleet/device/device-filter.ts'
import { assertAllowed, rightsOf } from './rollout.policy.ts'
import { rightsOf as rightsToPrograms } from '../program/program.policy.ts'
import { canaryNumber, failedGroups, groupNumbers, planOf } from './next-steps.rules.ts'
import { assertOpenService } from '../access/service/service.service.ts'
import { hasRight } from '../base/right.ts'
import type { MapleDb } from '../base/tables.ts'
import { advance, recordMove } from './advance.ts'
import { checkedPlan, checkedProgram, checkedRollout, type NewRollout } from './check-rollout.ts'
import { executionList, readCauses, requeueFailed } from './execution.queries.ts'
import { countSource } from './find-devices.queries.ts'
import { programOf } from './programs.ts'
import * as queries from './rollout.queries.ts'
import type { RolloutRow } from './rollout.queries.ts'
import { readChain } from './retry.queries.ts'
import { tokenPlanOf } from './token-plan.ts'
import { tokenNeedOfScope } from '../card/purpose-key/token-need.queries.ts'
import { wakeRollout } from './wake-rollout.ts'

export type RolloutContext = Pick<RolloutServiceContext, 'db' | 'now' | 'jobs'>

const what = 'rollout'
type ById = { id: string }

/** @throws BadCursorError */
export async function listRollouts(
  { db }: Pick<RolloutContext, 'db'>,
  actor: Actor,
  query: QueryOf<Calls['GET /api/maple/rollouts']>,
): Promise<ResponseOf<Calls['GET /api/maple/rollouts']>> {
  const page = await queries.readRollouts(db, query, scopeOf(actor))
  return { ...page, items: page.items.map((row) => withRights(actor, row)) }
}

/** @throws ProblemError `not_found`. */
export async function readRollout(
  { db }: Pick<RolloutContext, 'db'>,
  actor: Actor,
  { id }: ById,
): Promise<Rollout> {
  return withRights(actor, (await queries.findRollout(db, id, scopeOf(actor))) ?? missing(id))
}

export const countDevices = async (
  { db, now }: RolloutContext,
  actor: Actor,
  query: DeviceFilterQuery,
): Promise<{ count: number }> => ({
  count: await countSource(db, await choiceOf(db, query, { scope: scopeOf(actor), now: now() })),
})

/** @throws ProblemError `invalid_request`, `not_found` or `service_suspended`. */
export function createRollout(
  context: RolloutContext,
  actor: Actor,
  input: NewRollout,
): Promise<Rollout> {
  const serviceId = serviceOf(scopeOf(actor))
  return context.db.transaction().execute(async (tx) => {
    if (serviceId !== null) await assertOpenService(tx, serviceId)
    const id = randomUUID()
    const checked = await checkedRollout(tx, actor, input, context.now())
    await queries.insertRollout(tx, {
      ...checked,
      id,
      serviceId,
      rollsBack: null,
      createdBy: actor.id,
    })
    return audited(tx, actor, 'rollout.create', id)
  })
}

/** @throws ProblemError `invalid_request`, `not_found`, `edit_conflict` or `transition_refused`. */
export function updateRollout(
  { db, now }: RolloutContext,
  actor: Actor,
  {
    id,
    revision,
    change,
  }: ById & { revision: number | undefined; change: BodyOf<Calls['PUT /api/maple/rollouts']> },
): Promise<Rollout> {
  return db.transaction().execute(async (tx) => {
    const found = await queries.lockRollout(tx, id, scopeOf(actor))
    const before = atRevision(found, revision, what)
    assertAllowed(actor, 'rollout.change', at(before))
    const { name = before.name, targets = before.targets, plan = before.plan } = change
    const program = change.program ?? before.program
    const given = {
      name,
      targets,
      plan,
      program: { kind: program.kind, id: program.id, input: program.input },
    }
    const checked =
      before.rollsBack === null && before.retries === null
        ? await checkedRollout(tx, actor, given, now())
        : {
            ...before,
            name: storedName('name', name),
            plan: await checkedPlan(tx, actor, plan, before.program.kind),
            ...(change.program && {
              program: await otherProgram(tx, actor, before, change.program),
            }),
          }
    await queries.updateDraft(tx, { ...before, ...checked })
    return audited(tx, actor, 'rollout.update', id, before)
  })
}

/** A retry may use a corrected version; a rollback, of images only, another one to go back to. */
async function otherProgram(
  tx: MapleDb,
  actor: Actor,
  { rollsBack, program }: RolloutRow,
  given: NewRollout['program'],
) {
  if (given.kind !== program.kind)
    throw invalidField(
      'program.kind',
      'const',
      `It rolls out a program of the kind ${program.kind}.`,
    )
  return rollsBack === null || given.kind === 'image' ? checkedProgram(tx, actor, given) : program
}

/** @throws ProblemError `not_found`, `edit_conflict` or `transition_refused`. */
export async function deleteRollout(
  { db }: RolloutContext,
  actor: Actor,
  { id, revision }: ById & { revision: number | undefined },
): Promise<null> {
  await db.transaction().execute(async (tx) => {
    const before = atRevision(await queries.lockRollout(tx, id, scopeOf(actor)), revision, what)
    assertAllowed(actor, 'rollout.delete', at(before))
    await events.record(tx, actor, 'rollout.delete', id, { before: factsOf(before) })
    await queries.rollouts.delete(tx, id)
  })
  return null
}

/** Starts a rollout, or requests another person's approval. @throws ProblemError */
export function startRollout(
  context: RolloutContext,
  actor: Actor,
  { id }: ById,
): Promise<Rollout> {
  return change(context, actor, id, 'rollout.start', async (tx, before) => {
    const { serviceId } = before
    if (serviceId !== null) await assertOpenService(tx, serviceId)
    await queries.storeRights(tx, id, hasRight(actor, 'session.raw'))
    const tokens = await tokenPlanOf(tx, before)
    const need = tokens && (await tokenNeedOfScope(tx, scopeOfService(serviceId), tokens.domains))
    if (tokens && need?.isStuck)
      throw new ProblemError(
        'token_key_missing',
        `The security domain ${tokens.domains.join(', ')} needs a token for each command, and Grove has no key to make them for these cards.`,
      )
    if (need?.canSign || (await queries.readPolicy(tx, serviceId))) {
      const input = {
        name: before.name,
        ...(tokens && need?.canSign && { domain: tokens.domains.join(', '), plan: tokens.hash }),
      }
      const asked = { action: 'rollout.start', subject: id, input } as const
      const approval = await needsApproval({ db: tx, now: context.now }, actor, asked)
      const state = 'waiting_for_approval'
      await queries.moveRollout(tx, id, { state, approvalId: approval.id })
      await recordMove(tx, actor, 'rollout.start', before, { state })
    } else await begin({ ...context, db: tx }, actor, before)
  })
}

/** Runs an approved start request. */
export function startApproved(
  context: RolloutContext,
  { subject, id: approvalId, requestedBy }: { subject: string; id: string; requestedBy: string },
): Promise<void> {
  return context.db.transaction().execute(async (tx) => {
    const before = await queries.lockRollout(tx, subject, everything)
    if (before?.state !== 'waiting_for_approval' || before.approvalId !== approvalId) return
    const { origin } = processActor('approval.run')
    const actor: Actor = { id: requestedBy, roles: [], sessionId: undefined, origin }
    await begin({ ...context, db: tx }, actor, before)
  })
}

/** Starts a scheduled rollout. */
export function beginReady(context: RolloutContext, id: string): Promise<void> {
  return context.db.transaction().execute(async (tx) => {
    const before = await queries.lockRollout(tx, id, everything)
    if (before?.state !== 'ready') return
    await begin({ ...context, db: tx }, processActor('rollout.run'), before)
  })
}

async function begin(context: RolloutContext, actor: AnyActor, before: RolloutRow): Promise<void> {
  const { id, plan } = before
  const isDue = plan.startsAt === null || Date.parse(plan.startsAt) <= context.now()
  const state = isDue ? 'running' : 'ready'
  await queries.moveRollout(context.db, id, { state })
  if (isDue) await queries.insertGroups(context.db, id, groupNumbers(plan))
  await recordMove(context.db, actor, 'rollout.start', before, { state })
  await wakeRollout(context, before)
}

/** @throws ProblemError `not_found` or `transition_refused`. */
export const pauseRollout = (context: RolloutContext, actor: Actor, { id }: ById) =>
  change(context, actor, id, 'rollout.pause', async (tx, before) => {
    await queries.moveRollout(tx, id, { state: 'paused', pauseReason: 'person' })
    const after = { state: 'paused', pauseReason: 'person' }
    await recordMove(tx, actor, 'rollout.pause', before, after)
  })

/** @throws ProblemError `not_found`, `transition_refused`, or `invalid_request` without a choice. */
export const resumeRollout = (
  context: RolloutContext,
  actor: Actor,
  { id, choice }: ById & { choice?: ResumeChoice | undefined },
) =>
  change(context, actor, id, 'rollout.resume', async (tx, before) => {
    const failed = failedGroups(before)
    if (failed.length > 0 && choice === undefined)
      throw invalidField(
        'choice',
        'required',
        'Say how to continue with the failed group: retry, next or skip.',
      )
    for (const { number } of failed) {
      if (choice === 'retry') await requeueFailed(tx, id, number)
      const state = choice === 'skip' ? 'skipping' : 'running'
      await queries.moveGroup(tx, id, number, { state, isTolerant: choice === 'next' })
    }
    await queries.moveRollout(tx, id, { state: 'running' })
    const isByHand = before.pauseReason === 'next_group' || (failed.length > 0 && choice === 'next')
    if (isByHand) await startNext(tx, before)
    await recordMove(tx, actor, 'rollout.resume', before, { state: 'running', choice })
    await advance(tx, id, { now: context.now(), actor })
    await wakeRollout({ ...context, db: tx }, before)
  })

/** @throws ProblemError `not_found` or `transition_refused`. */
export const startNextGroup = (context: RolloutContext, actor: Actor, { id }: ById) =>
  change(context, actor, id, 'rollout.next', async (tx, before) => {
    await queries.moveRollout(tx, id, { state: 'running' })
    const number = await startNext(tx, before)
    await recordMove(tx, actor, 'rollout.next_group', before, { state: 'running', group: number })
    await advance(tx, id, { now: context.now(), actor })
    await wakeRollout({ ...context, db: tx }, before)
  })

async function startNext(tx: MapleDb, { id, groups }: RolloutRow): Promise<number | undefined> {
  const next = groups.find(({ state }) => state === 'waiting')
  if (next) await queries.moveGroup(tx, id, next.number, { state: 'running' })
  return next?.number
}

/** @throws ProblemError `not_found` or `transition_refused`. */
export const stopRollout = (context: RolloutContext, actor: Actor, { id }: ById) =>
  change(context, actor, id, 'rollout.stop', async (tx, before) => {
    // Before it has devices in groups there is nothing to wait for.
    const state = before.step === 'run' && before.state !== 'ready' ? 'stopping' : 'stopped'
    await queries.moveRollout(tx, id, { state })
    await recordMove(tx, actor, 'rollout.stop', before, { state })
    await wakeRollout({ ...context, db: tx }, before)
  })

/** Creates the rollback of a rollout: a draft, which a person reviews and starts. */
export function rollBack(context: RolloutContext, actor: Actor, { id }: ById): Promise<Rollout> {
  return context.db.transaction().execute(async (tx) => {
    const before = (await queries.lockRollout(tx, id, scopeOf(actor))) ?? missing(id)
    assertAllowed(actor, 'rollout.rollBack', at(before))
    const { kind, id: programId, input } = before.program
    const found = { id: programId, input, scope: scopeOfService(before.serviceId) }
    const back = await programOf(kind).wayBack?.({ db: tx }, found)
    if (!back) throw new ProblemError('no_way_back', 'There is no earlier version to go back to.')
    const program = { ...before.program, ...back }
    const next = { ...followUp(before, actor, '↩', before.name), program, rollsBack: id }
    await queries.insertRollout(tx, next)
    await events.record(tx, actor, 'rollout.roll_back', id, { after: { rollout: next.id } })
    return audited(tx, actor, 'rollout.create', next.id)
  })
}

/**
 * Writes the rollout that brings the program once more to what failed in one that is over: a draft,
 * which needs the approval that every rollout needs.
 */
export function retryRollout(
  context: RolloutContext,
  actor: Actor,
  { id, state, cause }: ById & { state?: RetriedState | undefined; cause?: string | undefined },
): Promise<Rollout> {
  return context.db.transaction().execute(async (tx) => {
    const before = (await queries.lockRollout(tx, id, scopeOf(actor))) ?? missing(id)
    assertAllowed(actor, 'rollout.retry', at(before))
    const chosen = (await readCauses(tx, id)).filter(
      (known) =>
        (retriedStates as readonly string[]).includes(known.state) &&
        known.state === (state ?? known.state) &&
        known.cause === (cause ?? known.cause),
    )
    if (chosen.length === 0)
      throw invalidField(
        cause === undefined ? 'state' : 'cause',
        'exists',
        'No device failed with this cause.',
      )
    const chain = (await readChain(tx, id)) ?? missing(id)
    const sign = chain.retries === 0 ? '↻' : `↻${chain.retries + 1}`
    const next = {
      ...followUp(before, actor, sign, chain.name),
      retry: { of: id, first: chain.first, state: state ?? null, cause: cause ?? null },
    }
    await queries.insertRollout(tx, next)
    await events.record(tx, actor, 'rollout.retry', id, { after: { rollout: next.id } })
    return audited(tx, actor, 'rollout.create', next.id)
  })
}

/** A draft over devices of another rollout: they are one group, under the thresholds of its last one. */
function followUp(before: RolloutRow, actor: Actor, sign: string, name: string) {
  const [group] = before.plan.groups.slice(-1)
  return {
    id: randomUUID(),
    serviceId: before.serviceId,
    name: storedName('name', `${sign} ${name}`.slice(0, maxRolloutNameLength)),
    program: before.program,
    rollsBack: before.rollsBack,
    targets: {},
    plan: {
      ...before.plan,
      canaries: [],
      groups: group ? [{ ...group, by: 'rest' as const, amount: 0, pausesAfter: false }] : [],
      startsAt: null,
    },
    createdBy: actor.id,
  }
}

/** @throws ProblemError `not_found`. */
export async function listCauses({ db }: Pick<RolloutContext, 'db'>, actor: Actor, { id }: ById) {
  if (!(await queries.findRollout(db, id, scopeOf(actor)))) missing(id)
  return { items: await readCauses(db, id) }
}

/** @throws ProblemError `not_found`; BadCursorError. */
export async function listExecutions(
  { db }: Pick<RolloutContext, 'db'>,
  actor: Actor,
  { id, ...query }: ById & QueryOf<Calls['GET /api/maple/rollouts/{id}/execution']>,
): Promise<ResponseOf<Calls['GET /api/maple/rollouts/{id}/execution']>> {
  if (!(await queries.findRollout(db, id, scopeOf(actor)))) missing(id)
  return executionList.read(db, query, id)
}

export const readPolicy = async ({ db }: Pick<RolloutContext, 'db'>, actor: Actor) =>
  policyFor(actor, await queries.readPolicy(db, serviceOf(scopeOf(actor))))

const policyFor = (actor: Actor, needsApproval: boolean): RolloutPolicy => ({
  needsApproval,
  rights: rightsToPrograms(actor, 'approval.give', { change: 'program.use' }),
})

export function changePolicy(
  { db }: Pick<RolloutContext, 'db'>,
  actor: Actor,
  { needsApproval: isNeeded }: { needsApproval: boolean },
): Promise<RolloutPolicy> {
  const serviceId = serviceOf(scopeOf(actor))
  return db.transaction().execute(async (tx) => {
    const before = await queries.readPolicy(tx, serviceId)
    await queries.storePolicy(tx, serviceId, isNeeded)
    await events.record(tx, actor, 'rollout.policy', serviceId ?? '', {
      before: { needsApproval: before },
      after: { needsApproval: isNeeded },
    })
    return policyFor(actor, isNeeded)
  })
}

type Control =
  | 'rollout.start'
  | 'rollout.pause'
  | 'rollout.resume'
  | 'rollout.next'
  | 'rollout.stop'

function change(
  { db }: RolloutContext,
  actor: Actor,
  id: string,
  action: Control,
  make: (tx: MapleDb, before: RolloutRow) => Promise<void>,
): Promise<Rollout> {
  return db.transaction().execute(async (tx) => {
    const before = (await queries.lockRollout(tx, id, scopeOf(actor))) ?? missing(id)
    assertAllowed(actor, action, at(before))
    await make(tx, before)
    return withRights(actor, (await queries.findRollout(tx, id, everything)) ?? missing(id))
  })
}

async function audited(
  tx: MapleDb,
  actor: Actor,
  action: 'rollout.create' | 'rollout.update',
  id: string,
  before?: RolloutRow,
): Promise<Rollout> {
  const after = (await queries.findRollout(tx, id, everything)) ?? missing(id)
  await events.record(tx, actor, action, id, {
    ...(before && { before: factsOf(before) }),
    after: factsOf(after),
  })
  return withRights(actor, after)
}

const factsOf = ({ name, program, targets, plan, rollsBack, retries }: RolloutRow) => ({
  name,
  program,
  targets,
  plan,
  rollsBack,
  ...(retries && { retries }),
})

/** The input of its rules. */
const at = (row: RolloutRow) => {
  const { kind, input } = row.program
  return { ...row, hasWayBack: programOf(kind).hasWayBack(input) }
}

function withRights(actor: Actor, row: RolloutRow): Rollout {
  const { isSource: _source, maySendRaw: _raw, approvedPlan: _plan, step, groups, ...facts } = row
  const names = {
    change: 'rollout.change',
    start: 'rollout.start',
    pause: 'rollout.pause',
    resume: 'rollout.resume',
    next: 'rollout.next',
    stop: 'rollout.stop',
    rollBack: 'rollout.rollBack',
    retry: 'rollout.retry',
    delete: 'rollout.delete',
  } as const
  return {
    ...facts,
    isPrepared: step === 'run',
    groups: groups.map((group) => {
      const { success, errorShare, errorMinimum, mostErrors, pausesAfter } = planOf(
        row.plan,
        group.number,
      )
      const thresholds = { success, errorShare, errorMinimum, mostErrors, pausesAfter }
      return { ...group, ...thresholds, isCanary: group.number === canaryNumber }
    }),
    rights: rightsOf(actor, at(row), names),
  }
}

function missing(id: string): never {
  throw new ProblemError('not_found', `There is no rollout ${id}.`)
}
