import type { BodyOf, QueryOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { HandlerRun, OpenHandlerRun } from '@grove/contract/maple/program/cloud-handler'
import { maxLogLines, maxResent, maxWaiting } from '@grove/contract/maple/program/handler.rules'
import type { Actor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { MapleContext } from '../../base/context.ts'
import type { MapleDb } from '../../base/tables.ts'
import { handlerEvents, programOf, required } from './cloud-handler.service.ts'
import * as queries from './handler-run.queries.ts'
import type { HandlerRunner } from './handler-runner.ts'

type Context = MapleContext & { handlers: HandlerRunner }
type ById = { id: string }
type RunAt = ById & { runId: string }

/** @throws ProblemError `not_found`; BadCursorError. */
export async function listRuns(
  { db }: MapleContext,
  actor: Actor,
  { id, query }: ById & { query: QueryOf<Calls['GET /api/maple/cloud_handlers/{id}/run']> },
) {
  await required(db, actor, id)
  return queries.runList.read(db, query, id)
}

/** The lines that a page has room for: of the last attempts of a delivery. */
const shownLines = 5 * maxLogLines

/** @throws ProblemError `not_found`. */
export async function readRun(
  { db }: MapleContext,
  actor: Actor,
  { id, runId }: RunAt,
): Promise<OpenHandlerRun> {
  await required(db, actor, id)
  const [run, log] = await Promise.all([
    requiredRun(db, id, runId),
    queries.readLog(db, runId, { after: 0, limit: shownLines }),
  ])
  return { ...run, log }
}

type Test = BodyOf<Calls['POST /api/maple/cloud_handlers/{id}/test']>

/** @throws ProblemError `not_found`, or `limit_reached` if too many runs are waiting. */
export async function testHandler(
  { db, now, handlers }: Context,
  actor: Actor,
  { id, runId, event }: ById & Test,
): Promise<HandlerRun> {
  const handler = await required(db, actor, id)
  const past = runId === undefined ? undefined : await requiredRun(db, id, runId)
  if ((await queries.countWaiting(db, id, maxWaiting)) >= maxWaiting)
    throw new ProblemError('limit_reached', 'Too many runs of the handler are already waiting.')
  const { trigger } = handler
  const ordinary = trigger.type === 'event' ? (trigger.events[0] ?? 'event') : trigger.type
  const newId = await db.transaction().execute(async (tx) => {
    const made = await queries.insertRun(tx, {
      handlerId: id,
      source: 'test',
      type: past?.type ?? ordinary,
      key: null,
      event: event ?? past?.event ?? { at: new Date(now()).toISOString() },
      program: programOf(handler),
      mostAttempts: 1,
    })
    await handlerEvents.record(tx, actor, 'cloud_handler.test', id, { after: { runId: made } })
    return made
  })
  handlers.nudge()
  const { event: _event, result: _result, ...run } = await requiredRun(db, id, newId)
  return run
}

type Resend = BodyOf<Calls['POST /api/maple/cloud_handlers/{id}/resend']>

/** @throws ProblemError `not_found`, also for a run that is not dead. */
export async function resendRuns(
  { db, handlers }: Context,
  actor: Actor,
  { id, runId }: ById & Resend,
): Promise<{ count: number }> {
  await required(db, actor, id)
  const count = await db.transaction().execute(async (tx) => {
    const sent = await queries.resendRuns(tx, id, { runId, most: maxResent })
    if (sent > 0)
      await handlerEvents.record(tx, actor, 'cloud_handler.resend', id, {
        after: { count: sent, ...(runId !== undefined && { runId }) },
      })
    return sent
  })
  if (runId !== undefined && count === 0)
    throw new ProblemError('not_found', 'There is no such dead letter.')
  handlers.nudge()
  return { count }
}

export async function requiredRun(db: MapleDb, id: string, runId: string) {
  const found = await queries.findRun(db, id, runId)
  if (!found) throw new ProblemError('not_found', `The handler has no run ${runId}.`)
  return found
}

const batch = 500

/** Deletes finished deliveries that are old. */
export async function tidyHandlerRuns({ db }: MapleContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) if ((await queries.deleteOldRuns(db, batch)) < batch) return
}
