import { randomUUID } from 'node:crypto'
import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { ScriptRun } from '@grove/contract/maple/program/script'
import { maxDraftElements, stepAnswers } from '@grove/contract/maple/program/script.rules'
import type { Actor } from '../../../../core/actor.ts'
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import type { JobQueue } from '../../../../core/jobs/job-queue.ts'
import { scopeOf, serviceOf } from '../../../../core/scope.ts'
import { scriptEvents as events } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { readCplc } from '../../base/cplc-text.ts'
import { rightsOfActor } from '../../base/right.ts'
import { turnOf } from '../../base/job-turn.ts'
import { findLackingElement } from '../element.queries.ts'
import type { ProgramJobs } from '../jobs.ts'
import * as queries from './script-run.queries.ts'
import { readScript, versionOf } from './script.service.ts'

type ById = { id: string }
type RunCall = Calls['POST /api/maple/scripts/{id}/run']

/** Rights beyond form-made commands that a script has if the person who starts it has them. */
export const allowing = ['session.raw', 'applet.change'] as const

/** The rights of these that an actor has. */
export const allowedTo = (actor: Pick<Actor, 'roles' | 'mandate'>): string[] =>
  allowing.filter((right) => rightsOfActor(actor).includes(right))

/** @throws ProblemError `not_found` or `limit_reached`. */
export function startRuns(
  { db, jobs }: MapleContext & { jobs: JobQueue<ProgramJobs> },
  actor: Actor,
  { id, version, elements, input = {}, replayOf, isStepped = false }: ById & BodyOf<RunCall>,
): Promise<ResponseOf<RunCall>> {
  const scope = scopeOf(actor)
  const cplcs = [...new Set(elements.map((text, index) => readCplc(`elements.${index}`, text)))]
  if (version === undefined && cplcs.length > maxDraftElements)
    throw new ProblemError(
      'limit_reached',
      `A draft can run on at most ${maxDraftElements} elements. Publish it to run it on more.`,
    )
  if (isStepped && cplcs.length > 1)
    throw new ProblemError(
      'limit_reached',
      'A script can be stepped through on only one element at a time.',
    )
  return db.transaction().execute(async (tx) => {
    const script = await readScript({ db: tx }, actor, { id })
    if (version !== undefined) await versionOf(tx, { owner: id, number: version })
    const lacking = await findLackingElement(tx, cplcs, scope)
    if (lacking !== undefined)
      throw new ProblemError('not_found', `There is no element ${lacking}.`)
    const batchId = randomUUID()
    const items = await queries.insertRuns(tx, {
      scriptId: id,
      serviceId: serviceOf(scope),
      batchId,
      cplcs,
      version: version ?? null,
      code: version === undefined ? script.draft : null,
      input,
      allows: allowedTo(actor),
      replayOf: replayOf ?? null,
      isStepped,
      startedBy: actor.id,
    })
    const after = { batch: batchId, version: version ?? 'draft', elements: cplcs.length }
    await events.record(tx, actor, 'script.run', id, { after })
    await jobs.enqueue(
      tx,
      'script.run',
      { batch: batchId },
      { ...turnOf(actor), scope: serviceOf(scope) },
    )
    return { batchId, items }
  })
}

/** @throws ProblemError `not_found`; BadCursorError. */
export async function listRuns(
  context: MapleContext,
  actor: Actor,
  { id, query }: ById & { query: QueryOf<Calls['GET /api/maple/scripts/{id}/run']> },
): Promise<ResponseOf<Calls['GET /api/maple/scripts/{id}/run']>> {
  await readScript(context, actor, { id })
  return queries.runList.read(context.db, query, id)
}

/** @throws ProblemError `not_found`. */
export async function readRun(
  context: MapleContext,
  actor: Actor,
  at: ById & { runId: string },
): Promise<ScriptRun> {
  const { question, ...run } = await found(context, actor, at)
  return { ...run, question: question && { ...question, isYours: run.startedBy === actor.id } }
}

async function found(context: MapleContext, actor: Actor, { id, runId }: ById & { runId: string }) {
  await readScript(context, actor, { id })
  const run = await queries.findRun(context.db, { scriptId: id, id: runId })
  if (!run) throw new ProblemError('not_found', 'There is no such run.')
  return run
}

type Answer = BodyOf<Calls['POST /api/maple/scripts/{id}/run/{runId}/answer']>

/** @throws ProblemError `not_found`, `forbidden` or `invalid_request`. */
export async function answerRun(
  context: MapleContext,
  actor: Actor,
  { id, runId, number, value }: ById & { runId: string } & Answer,
): Promise<ScriptRun> {
  const { question, startedBy } = await found(context, actor, { id, runId })
  if (startedBy !== actor.id)
    throw new ProblemError('forbidden', 'Only the person who started the run can answer it.')
  if (question?.type === 'step' && !(stepAnswers as readonly string[]).includes(value))
    throw invalidField('value', 'choice', `A step is answered by ${stepAnswers.join(' or ')}.`)
  if (!(await queries.putAnswer(context.db, runId, { number, value })))
    throw new ProblemError('not_found', 'The run is no longer asking this.')
  return readRun(context, actor, { id, runId })
}

/** @throws ProblemError `not_found`. */
export function cancelRuns(
  { db }: MapleContext,
  actor: Actor,
  { id, batch }: ById & { batch: string },
): Promise<{ cancelled: number }> {
  return db.transaction().execute(async (tx) => {
    await readScript({ db: tx }, actor, { id })
    const cancelled = await queries.cancelBatch(tx, { scriptId: id, batch })
    if (cancelled > 0)
      await events.record(tx, actor, 'script.cancel', id, { after: { batch, runs: cancelled } })
    return { cancelled }
  })
}
