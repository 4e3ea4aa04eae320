import { randomUUID } from 'node:crypto'
import type { Calls } from '@grove/contract/calls'
import type { ElementSession, RanCommand } from '@grove/contract/maple/card/session'
import type { QueryOf, ResponseOf } from '@grove/contract/call'
import { isLive } from '@grove/contract/maple/card/session.rules'
import type { Actor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { everything, scopeOf } from '../../../../core/scope.ts'
import { sessionEvents, type SessionContext } from '../context.ts'
import { assertAllowed, rightsOf } from '../card.policy.ts'
import { visibleCredential } from '../scp11/scp11.service.ts'
import {
  findCommand,
  finishCommand,
  insertCommand,
  type CommandRow,
} from './command-queue.queries.ts'
import { endOfCommand, notEndedYet, queueCommand } from './command-queue.ts'
import { exchangeOf } from './exchange-record.ts'
import { exchangeList, readExchanges } from './exchange.queries.ts'
import { openAnywhere } from './open-elsewhere.ts'
import { storeEnd } from './open-session.ts'
import { checkInput, runCommand, type CommandInput } from './run-command.ts'
import { findSession, sessionList, setHolder, type SessionFacts } from './session.queries.ts'

/** How long a command of another process is waited for. */
const patienceMs = 60_000

type List = Calls['GET /api/maple/sessions/se']

export async function listSessions(
  { db }: SessionContext,
  actor: Actor,
  query: QueryOf<List>,
): Promise<ResponseOf<List>> {
  const page = await sessionList.read(db, query, scopeOf(actor))
  return { ...page, items: page.items.map((session) => withRights(actor, session)) }
}

/** @throws ProblemError `not_found`. */
export async function readSession(
  context: SessionContext,
  actor: Actor,
  { id }: { id: string },
): Promise<ElementSession> {
  return withRights(actor, await sessionOf(context, actor, id))
}

/** @throws ProblemError `not_found`, also for a session of another service provider. */
export async function sessionOf(
  { db }: SessionContext,
  actor: Actor,
  id: string,
): Promise<SessionFacts> {
  const found = await findSession(db, id, scopeOf(actor))
  if (!found) throw new ProblemError('not_found', 'There is no such session.')
  return found
}

export async function createSession(
  context: SessionContext,
  actor: Actor,
  { cplc, takeOver }: { cplc: string; takeOver?: boolean | undefined },
): Promise<ElementSession> {
  const { id } = await openAnywhere(context, actor, { cplc, takeOver, purpose: 'console' })
  return readSession(context, actor, { id })
}

/**
 * Runs a command of the person who controls the session, in whichever process has it.
 * @throws ProblemError `session_ended`, `session_held`, or the errors of `checkInput`.
 */
export async function sendCommand(
  context: SessionContext,
  actor: Actor,
  {
    id,
    commandId: given,
    input,
  }: { id: string; commandId?: string | undefined; input: CommandInput },
): Promise<RanCommand> {
  const { db, sessions: hub } = context
  checkInput(input)
  const session = await sessionOf(context, actor, id)
  if (input.type === 'channel' && typeof input.credential === 'string')
    await visibleCredential(db, actor, { id: input.credential, cplc: session.cplc })
  const known = given === undefined ? undefined : await findCommand(db, given)
  if (!known) assertAllowed(actor, 'session.run', session)
  const commandId = given ?? randomUUID()
  const own = hub.live.get(id)
  const command = { id: commandId, sessionId: id, askedBy: actor.id }
  // The id was made here, so nobody can request the command again by it, and the log alone keeps it.
  if (own && given === undefined)
    return resultOf(context, session, {
      ...command,
      ...(await runCommand(own, commandId, input)),
    })
  const isNew =
    !known &&
    (own
      ? await insertCommand(db, { ...command, sealedInput: null })
      : await queueCommand(context, { ...command, input }))
  if (!isNew) checkRepeat(known ?? (await findCommand(db, commandId)), { id, actor })
  const finished =
    isNew && own
      ? await finishCommand(db, commandId, await runCommand(own, commandId, input))
      : undefined
  const end = finished ?? (await endOfCommand(context, commandId, patienceMs))
  if (!end) throw notEndedYet()
  return resultOf(context, session, end)
}

/** A command id is one's own, and of one session. */
function checkRepeat(found: CommandRow | undefined, { id, actor }: { id: string; actor: Actor }) {
  if (found?.sessionId === id && found.askedBy === actor.id) return
  throw new ProblemError('already_exists', 'Another command has this id.')
}

async function resultOf(
  { db }: SessionContext,
  session: SessionFacts,
  { id, state, problem, firstSeq, lastSeq }: CommandRow,
): Promise<RanCommand> {
  const records =
    firstSeq === null || lastSeq === null
      ? []
      : await readExchanges(db, session, { after: firstSeq - 1, to: lastSeq, limit: 200 })
  return {
    state: state === 'queued' || state === 'sent' ? 'unknown' : state,
    problem,
    // Grove's own queries are only in the log.
    items: records.filter(({ step }) => step === id).map((each) => exchangeOf(each)),
  }
}

/** From now on this person may send commands; the previous one may not. */
export async function takeOverSession(
  context: SessionContext,
  actor: Actor,
  { id }: { id: string },
): Promise<ElementSession> {
  const { db, sessions: hub } = context
  const session = await sessionOf(context, actor, id)
  assertAllowed(actor, 'session.takeOver', session)
  await db.transaction().execute(async (tx) => {
    await setHolder(tx, id, actor.id)
    await sessionEvents.record(tx, actor, 'session.take_over', id, {
      before: { id, heldBy: session.heldBy },
      after: { id, heldBy: actor.id },
    })
  })
  hub.changes.emit(id)
  return readSession(context, actor, { id })
}

/** @throws ProblemError `not_found` or `session_ended`. */
export async function endSession(
  context: SessionContext,
  actor: Actor,
  { id }: { id: string },
): Promise<ElementSession> {
  const { db, sessions: hub } = context
  const session = await sessionOf(context, actor, id)
  assertAllowed(actor, 'session.end', session)
  const own = hub.live.get(id)
  if (own) await own.end('ended')
  else {
    await endElsewhere(context, actor, id)
    // Its process does not respond: the lease is revoked.
    if (isLive((await findSession(db, id, everything))?.state ?? 'closed'))
      await storeEnd(context, actor, { id, ending: { state: 'closed', reason: 'ended' } })
  }
  return readSession(context, actor, { id })
}

const endPatienceMs = 4000

async function endElsewhere(context: SessionContext, actor: Actor, id: string): Promise<void> {
  const command = { id: randomUUID(), sessionId: id, askedBy: actor.id }
  await queueCommand(context, { ...command, input: { type: 'end' } })
  await endOfCommand(context, command.id, endPatienceMs)
}

type ListExchanges = Calls['GET /api/maple/sessions/se/{id}/exchange']

export async function listExchanges(
  context: SessionContext,
  actor: Actor,
  { id, query }: { id: string; query: QueryOf<ListExchanges> },
): Promise<ResponseOf<ListExchanges>> {
  const session = await sessionOf(context, actor, id)
  const page = await exchangeList.read(context.db, query, session)
  return { ...page, items: page.items.map((each) => exchangeOf(each)) }
}

/** A session with the reader's rights on it. */
export function withRights(actor: Actor, facts: SessionFacts): ElementSession {
  const { day: _, ...session } = facts
  const rights = rightsOf(actor, session, {
    run: 'session.run',
    end: 'session.end',
    takeOver: 'session.takeOver',
  })
  return { ...session, rights }
}
