import { randomUUID } from 'node:crypto'
import { isLive } from '@grove/contract/maple/card/session.rules'
import { anonymous, type AnyActor, type Origin } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { everything } from '../../../../core/scope.ts'
import type { SessionContext } from '../context.ts'
import { finishCommand, type CommandRow } from './command-queue.queries.ts'
import { endOfCommand, queueCommand } from './command-queue.ts'
import { beginSession, startSession, storeEnd, type OpenInput } from './open-session.ts'
import { findSession } from './session.queries.ts'
import { isElsewhere, transportFor, wayTo } from './transport/transport.ts'

/** Time limit for the process with the reader. */
const patienceMs = 10_000

/**
 * Opens a session that a person drives through calls, accepted by any process. It runs in the process
 * that reaches the element, which is another one if that has the reader's connection.
 * @throws ProblemError as `openSession`.
 */
export async function openAnywhere(
  context: SessionContext,
  actor: AnyActor,
  input: OpenInput,
): Promise<{ id: string }> {
  const { way, ...prepared } = await beginSession(context, actor, input, wayTo)
  const { purpose } = input
  if (!isElsewhere(way))
    return startSession(context, actor, { ...prepared, purpose, transport: way })
  const { id } = prepared
  const commandId = randomUUID()
  const { id: askedBy, origin } = actor
  await queueCommand(context, {
    id: commandId,
    sessionId: id,
    askedBy,
    input: { type: 'open', origin },
  })
  const end = await endOfCommand(context, commandId, patienceMs)
  if (end?.state === 'done') return { id }
  const message =
    end?.problem?.message ?? 'The process that is connected to the reader is not responding.'
  await storeEnd(context, actor, {
    id,
    ending: { state: 'failed', failure: { code: 'transport_failed', message } },
  })
  throw new ProblemError('transport_missing', message)
}

/** Runs a session that another process opened for this one. */
export async function openHere(
  context: SessionContext,
  { id: commandId, sessionId, askedBy }: Pick<CommandRow, 'id' | 'sessionId' | 'askedBy'>,
  origin: Origin,
): Promise<void> {
  const { db } = context
  const session = await findSession(db, sessionId, everything)
  if (!session || !isLive(session.state)) return
  const { id, cplc, day, purpose } = session
  const nothing = { firstSeq: null, lastSeq: null }
  try {
    const transport = await transportFor(context, cplc)
    const actor: AnyActor =
      askedBy === null
        ? anonymous(origin)
        : { id: askedBy, roles: [], sessionId: undefined, origin }
    startSession(context, actor, { id, cplc, day, purpose, transport })
    await finishCommand(db, commandId, { state: 'done', problem: null, ...nothing })
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const { code, message } = error
    await finishCommand(db, commandId, { state: 'refused', problem: { code, message }, ...nothing })
  }
}
