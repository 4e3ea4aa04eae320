import type { Approval } from '@grove/contract/maple/access/approval'
import { encodeCommand } from '@grove/secure-element/apdu'
import { toHex } from '@grove/secure-element/bytes'
import { JobError, type JobRun } from '../../../../core/jobs/define-jobs.ts'
import { everything } from '../../../../core/scope.ts'
import { record } from '../../fleet/context.ts'
import type { SessionContext } from '../context.ts'
import { domainsOf, storeDomains } from '../domain/domain.queries.ts'
import { changeElement, findElement, lockElement } from '../../fleet/element/element.queries.ts'
import { withSession } from '../session/open-session.ts'
import { commandOf, type StepIntent } from './card-command.ts'
import { readIdentity } from '@grove/secure-element/host/read-identity'
import * as queries from './card-operation.queries.ts'
import { assertIdle, waiting } from './card-operation.service.ts'
import { mark, problem, runCardOperation, type Ending, type Work } from './run-card-operation.ts'

/**
 * Terminates a card after a second person approved it. An interrupted run is repeated: it
 * continues the operation of this approval, which sends its command once.
 */
export async function terminateCard(
  context: SessionContext,
  { id: approvalId, subject: cplc, requestedBy }: Pick<Approval, 'id' | 'subject' | 'requestedBy'>,
  job: JobRun,
): Promise<void> {
  const { db } = context
  const known = await queries.operationOfApproval(db, approvalId)
  const id = known ?? (await insertTermination(context, { approvalId, cplc, requestedBy }))
  const ended = await runCardOperation(context, id, job, endTermination)
  if (ended?.state !== 'succeeded')
    throw new JobError(
      'not_terminated',
      ended?.problem?.message ?? 'The card was not terminated. Request it again.',
      { isFinal: true },
    )
}

const insertTermination = (
  { db }: SessionContext,
  { approvalId, cplc, requestedBy }: { approvalId: string; cplc: string; requestedBy: string },
): Promise<string> =>
  db.transaction().execute(async (tx) => {
    const element = await lockElement(tx, cplc, everything)
    if (!element) throw new JobError('not_found', 'The element was deleted.', { isFinal: true })
    await assertIdle(tx, cplc)
    const issuer = (await domainsOf(tx, cplc)).find(({ parent }) => parent === null)
    const intent: StepIntent = {
      kind: 'cardState',
      aid: issuer?.aid ?? '',
      to: 'terminated',
      privileges: null,
      deletes: [],
    }
    return queries.insertOperation(tx, {
      cplc,
      kind: 'terminate',
      input: {},
      steps: waiting([{ ...intent, command: toHex(encodeCommand(commandOf(intent))) }]),
      createdBy: requestedBy,
      approvalId,
    })
  })

/** Asks the card whether it is terminated, and marks the element if so. */
export async function endTermination(
  work: Work,
  { problem: cause, isCancelled }: Ending,
): Promise<void> {
  const { context, operation } = work
  const { id, steps } = operation
  const [step] = steps
  const wasSent = step?.state === 'sent' || step?.state === 'done'
  const isTerminated = wasSent ? await asksCard(work, step.state === 'done') : false
  if (step?.state === 'sent')
    await mark(work, 0, {
      state: isTerminated === undefined ? 'unknown' : isTerminated ? 'done' : 'lost',
    })
  if (isTerminated) await storeTermination(work)
  const differs = 'The card accepted the command, but it still answers.'
  await queries.finishOperation(context.db, id, {
    state: isTerminated ? 'succeeded' : isCancelled ? 'cancelled' : 'stopped',
    problem:
      cause ??
      (step?.state === 'done' && !isTerminated ? problem('not_as_planned', differs) : null),
  })
}

const success = 0x9000

/**
 * A terminated card answers only GET DATA (GlobalPlatform 2.3.1, 5.1.1.5): SELECT is refused.
 * Undefined if it cannot be determined.
 */
async function asksCard(
  { context, operation: { cplc }, actor }: Work,
  hasAnswered: boolean,
): Promise<boolean | undefined> {
  try {
    return await withSession(context, actor, { cplc, purpose: 'terminate' }, async (session) => {
      const { statusWord } = await session.select()
      // A locked card answers with a warning.
      if (statusWord === success || statusWord >> 8 === 0x62) return false
      const found = await readIdentity((command) => session.send(command), { maySelect: false })
      return hasAnswered || found === cplc ? true : undefined
    })
  } catch {
    return hasAnswered ? true : undefined
  }
}

const storeTermination = ({ context: { db }, operation, actor }: Work): Promise<void> =>
  db.transaction().execute(async (tx) => {
    const { cplc, approvalId } = operation
    const before = await lockElement(tx, cplc, everything)
    if (!before || before.state === 'terminated') return
    const domains = await domainsOf(tx, cplc)
    await storeDomains(
      tx,
      cplc,
      domains.map((domain) =>
        domain.parent === null ? { ...domain, state: 'terminated' as const } : domain,
      ),
    )
    await changeElement(tx, cplc, { state: 'terminated' })
    const after = await findElement(tx, cplc, everything)
    await record(tx, actor, 'element.terminate', cplc, { before, after: { ...after, approvalId } })
  })
