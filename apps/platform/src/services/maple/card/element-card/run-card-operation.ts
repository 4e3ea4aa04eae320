import type { CardOperation, RunCardStep } from '@grove/contract/maple/card/card-operation'
import type { CardProblemCode } from '@grove/contract/maple/card/card-operation.rules'
import { mapleRights } from '@grove/contract/maple/access/right.rules'
import { statusWord as explained } from '@grove/secure-element/status-word'
import type { Actor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { JobRun } from '../../../../core/jobs/define-jobs.ts'
import { everything, scopeOfService } from '../../../../core/scope.ts'
import type { SessionContext } from '../context.ts'
import type { ElementSession } from '../session/element-session.ts'
import { withSession } from '../session/open-session.ts'
import { SessionError } from '../session/session-error.ts'
import { commandOf } from './card-command.ts'
import { readFacts, type CardFacts } from './card-facts.ts'
import * as queries from './card-operation.queries.ts'
import { isStepDone, planCard } from './card-plan.ts'
import { storeReading } from './card-reading.ts'
import { level } from './card-session.ts'

export type Problem = NonNullable<CardOperation['problem']>

/** A running operation. Its steps match the database: each change is stored first. */
export interface Work {
  context: SessionContext
  operation: queries.CardOperationRow
  actor: Actor
  job: Pick<JobRun, 'signal' | 'progress'>
}

export interface Ending {
  problem: Problem | null
  isCancelled: boolean
  /** The card's report afterwards; undefined if it could not be read. */
  facts?: CardFacts | undefined
}

export const problem = (code: CardProblemCode, message: string): Problem => ({ code, message })

/** The requester; the operation's id is the origin. */
const actorOf = ({ createdBy, serviceId, id }: queries.CardOperationRow): Actor => ({
  id: createdBy ?? '',
  roles: [],
  sessionId: undefined,
  origin: { requestId: id, ip: '', userAgent: 'card.operation' },
  mandate: { rights: mapleRights, scope: scopeOfService(serviceId) },
})

const success = 0x9000

/**
 * Sends the steps of an operation, each at most once, and stores the card's state after them. An
 * interrupted run sends nothing more: it reads the card and determines what was done.
 */
export async function runCardOperation(
  context: SessionContext,
  id: string,
  job: Work['job'],
  end: (work: Work, ending: Ending) => Promise<void> = endDomains,
): Promise<queries.CardOperationRow | undefined> {
  const { db } = context
  const operation = await queries.findOperation(db, id, everything)
  if (!operation || operation.finishedAt !== null) return operation
  const work = { context, operation, actor: actorOf(operation), job }
  const wasCutOff = operation.steps.some(({ state }) => state !== 'waiting')
  await queries.startOperation(db, id)
  const ending: Ending = wasCutOff
    ? {
        problem: problem('interrupted', 'The server stopped while the operation ran.'),
        isCancelled: false,
      }
    : await attempt(work)
  await end(work, ending)
  return queries.findOperation(db, id, everything)
}

async function attempt(work: Work): Promise<Ending> {
  const { context, operation, actor } = work
  const { cplc, kind } = operation
  try {
    return await withSession(context, actor, { cplc, purpose: kind }, (session) =>
      inSession(work, session),
    )
  } catch (error) {
    return { problem: problemOf(error), isCancelled: false }
  }
}

async function inSession(work: Work, session: ElementSession): Promise<Ending> {
  const { context, operation, actor } = work
  const { id, kind } = operation
  await queries.setOperationSession(context.db, id, session.id)
  await session.select()
  const { send } = await session.openChannel({ level })
  const before = await readFacts(send)
  await storeReading(context, actor, { session, facts: before, action: 'element.read' })
  if (kind === 'domains' && !isAsPlanned(operation, before)) {
    const message = 'The card has changed since the plan was made. Nothing was sent.'
    return { problem: problem('card_changed', message), isCancelled: false, facts: before }
  }
  const sent = await sendSteps(work, session)
  if (kind === 'terminate') return sent
  return { ...sent, facts: await readAfter(work, session, sent.problem !== null) }
}

/** The plan that a person saw is the one for this card, byte for byte. */
function isAsPlanned({ input, steps }: queries.CardOperationRow, facts: CardFacts): boolean {
  const now = planOf(input, facts)
  return (
    now.length === steps.length &&
    now.every(
      ({ command, deletes }, index) =>
        command === steps[index]?.command && deletes.join() === steps[index]?.deletes.join(),
    )
  )
}

const planOf = (
  { domains: list = [], isReplacing = false }: queries.CardOperationInput,
  { domains, contents }: CardFacts,
) => planCard({ domains, contents, list, isReplacing }).steps

/** Stops at the first refusal, and before the next step after a cancellation. */
async function sendSteps(work: Work, session: ElementSession): Promise<Ending> {
  const { context, operation, job } = work
  const { id, steps } = operation
  for (const [index, step] of steps.entries()) {
    if (await queries.isCancelled(context.db, id)) return { problem: null, isCancelled: true }
    if (job.signal.aborted) {
      const message = 'The job was stopped before its next step.'
      return { problem: problem('interrupted', message), isCancelled: false }
    }
    await mark(work, index, { state: 'sent' })
    job.progress(index, steps.length)
    const { statusWord } = await session.send(commandOf(step))
    if (statusWord !== success) {
      const { code, name } = explained(statusWord)
      await mark(work, index, { state: 'refused', statusWord: code })
      const message = `The card refused step ${index + 1} with ${code} (${name}).`
      return { problem: problem('card_refused', message), isCancelled: false }
    }
    await mark(work, index, { state: 'done' })
  }
  job.progress(steps.length, steps.length)
  return { problem: null, isCancelled: false }
}

/** Stores the outcome of a step. */
export async function mark(
  { context, operation }: Work,
  index: number,
  change: Pick<RunCardStep, 'state'> & { statusWord?: string },
): Promise<void> {
  await queries.setStep(context.db, operation.id, index, change)
  const step = operation.steps[index]
  if (step) Object.assign(step, change)
}

/** A card that refused may have lost count of the channel. Undefined when it cannot be read. */
async function readAfter(
  { context, actor }: Work,
  session: ElementSession,
  isRefused: boolean,
): Promise<CardFacts | undefined> {
  try {
    if (isRefused) {
      await session.select()
      await session.openChannel({ level })
    }
    const facts = await readFacts((command) => session.send(command))
    await storeReading(context, actor, { session, facts, action: 'element.domains' })
    return facts
  } catch (error) {
    if (error instanceof ProblemError || error instanceof SessionError) return undefined
    throw error
  }
}

/** Reads the card in a separate session if the first one broke. */
async function readAnew({ context, operation, actor }: Work): Promise<CardFacts | undefined> {
  try {
    return await withSession(
      context,
      actor,
      { cplc: operation.cplc, purpose: 'read' },
      async (session) => {
        await session.select()
        const { send } = await session.openChannel({ level })
        const facts = await readFacts(send)
        await storeReading(context, actor, { session, facts, action: 'element.domains' })
        return facts
      },
    )
  } catch {
    return undefined
  }
}

async function endDomains(work: Work, ending: Ending): Promise<void> {
  const { operation, context } = work
  const { id, steps, input } = operation
  const wasUsed = steps.some(({ state }) => state !== 'waiting')
  const facts = ending.facts ?? (wasUsed ? await readAnew(work) : undefined)
  for (const [index, step] of steps.entries())
    if (step.state === 'sent') {
      const isDone = facts && isStepDone(step, facts.domains)
      await mark(work, index, { state: isDone ? 'done' : facts ? 'lost' : 'unknown' })
    }
  const isDone = steps.every(({ state }) => state === 'done')
  const isAsWanted = isDone && facts !== undefined && planOf(input, facts).length === 0
  const differs =
    isDone && !isAsWanted
      ? problem('not_as_planned', 'Every step succeeded, but the card does not match the plan.')
      : null
  await queries.finishOperation(context.db, id, {
    state: isAsWanted ? 'succeeded' : ending.isCancelled ? 'cancelled' : 'stopped',
    problem: ending.problem ?? differs,
  })
}

/** Session codes after which the card's state is unknown. */
const uncertain = new Set<string>(['transport_failed', 'power_lost', 'channel_broken', 'internal'])

function problemOf(error: unknown): Problem {
  if (error instanceof SessionError) {
    if (error.code === 'wrong_keys') return problem('wrong_keys', error.message)
    return problem(uncertain.has(error.code) ? 'no_answer' : 'not_reached', error.message)
  }
  if (error instanceof ProblemError)
    return problem(error.code === 'card_failed' ? 'other_card' : 'not_reached', error.message)
  // Messages of other errors could repeat a command.
  return problem('not_reached', 'The session failed because of a platform error.')
}
