import { createHash } from 'node:crypto'
import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type {
  CardOperation,
  CardStep,
  RunCardStep,
} from '@grove/contract/maple/card/card-operation'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import type { Actor } from '../../../../core/actor.ts'
import { atRevision } from '../../../../core/http/at-revision.ts'
import { fieldProblem, invalidField, ProblemError } from '../../../../core/http/problem.ts'
import type { JobQueue } from '../../../../core/jobs/job-queue.ts'
import { everything, scopeOf, serviceOf } from '../../../../core/scope.ts'
import { needsApproval } from '../../access/approval/approval.service.ts'
import type { MapleContext } from '../../base/context.ts'
import { assertPlan } from '../domain/domain.service.ts'
import { readCplc } from '../../base/cplc-text.ts'
import { findElement, lockElement } from '../../fleet/element/element.queries.ts'
import { withRights as elementWithRights } from '../../fleet/element/element.service.ts'
import { turnOf } from '../../base/job-turn.ts'
import type { CardJobs } from '../jobs.ts'
import { assertAllowed as assertElementAllowed } from '../../fleet/fleet.policy.ts'
import { assertAllowed, rightsOf } from '../card.policy.ts'
import * as queries from './card-operation.queries.ts'
import { planCard } from './card-plan.ts'
import { findReading } from './card-reading.queries.ts'

export type CardOperationContext = MapleContext & { jobs: JobQueue<CardJobs> }

type DomainsCall = Calls['POST /api/maple/se/card/domains']

/**
 * Plans the commands that bring security domains to a card, from its last reading, and starts the
 * plan that was shown.
 * @throws ProblemError `not_found`, `card_unread`, `domains_refused`, `edit_conflict`, `card_busy`,
 * `element_terminated` or `element_blocked`.
 */
export function changeCardDomains(
  { db, jobs }: CardOperationContext,
  actor: Actor,
  {
    domains: list,
    digest: shown,
    deletesContents = false,
    replace: isReplacing = false,
    dryRun = false,
    ...given
  }: BodyOf<DomainsCall> & QueryOf<DomainsCall>,
): Promise<ResponseOf<DomainsCall>> {
  const cplc = readCplc('cplc', given.cplc)
  return db.transaction().execute(async (tx) => {
    const element = atRevision(await lockElement(tx, cplc, scopeOf(actor)), undefined, 'element')
    assertElementAllowed(actor, 'element.use', element)
    const kept = await findReading(tx, cplc)
    if (!kept)
      throw new ProblemError(
        'card_unread',
        'Read the card first: the commands depend on what is on it.',
      )
    const { reading, contents } = kept
    const { plan, steps } = planCard({
      domains: reading.domains.items,
      contents,
      list,
      isReplacing,
    })
    const digest = digestOf(steps)
    const answer = { plan, steps, digest, readAt: reading.readAt }
    if (dryRun) return { ...answer, operation: null }
    assertPlan(plan, list)
    if (shown === undefined)
      throw invalidField('digest', 'required', 'Send the digest of the plan that was shown.')
    if (shown !== digest)
      throw new ProblemError(
        'edit_conflict',
        'The card was read again since the plan was shown. Look at the plan again.',
      )
    if (steps.length === 0) return { ...answer, operation: null }
    assertContents(steps, deletesContents)
    await assertIdle(tx, cplc)
    const id = await queries.insertOperation(tx, {
      cplc,
      kind: 'domains',
      input: { domains: list, isReplacing },
      steps: waiting(steps),
      createdBy: actor.id,
    })
    const options = { ...turnOf(actor), scope: serviceOf(scopeOf(actor)) }
    await jobs.enqueue(tx, 'card.operation', { id }, options)
    return { ...answer, operation: await read(tx, actor, id) }
  })
}

/** Two plans differ if a byte of a command differs, or what a deletion includes. */
const digestOf = (steps: readonly CardStep[]): string =>
  createHash('sha256').update(JSON.stringify(steps)).digest('hex')

/** Steps before anything was sent. */
export const waiting = (steps: readonly CardStep[]): RunCardStep[] =>
  steps.map((step) => ({ ...step, state: 'waiting', statusWord: null }))

/** Nothing is deleted that a person did not see. */
function assertContents(steps: readonly CardStep[], isAgreed: boolean): void {
  const doomed = steps.filter(({ deletes }) => deletes.length > 0)
  const [first] = doomed
  if (!first || isAgreed) return
  const message = `Deleting ${first.aid} also deletes ${first.deletes.join(', ')}. Send deletesContents if that is intended.`
  throw fieldProblem('domains_refused', 'deletesContents', message)
}

/** One operation at a time. @throws ProblemError `card_busy`. */
export async function assertIdle(tx: MapleContext['db'], cplc: string): Promise<void> {
  if (await queries.hasOpenOperation(tx, cplc))
    throw new ProblemError(
      'card_busy',
      'Another operation is running on this card. Wait until it ends, or cancel it.',
    )
}

type ListCall = Calls['GET /api/maple/se/card/operation']

/** @throws ProblemError `not_found`. */
export async function listCardOperations(
  { db }: MapleContext,
  actor: Actor,
  query: QueryOf<ListCall>,
): Promise<ResponseOf<ListCall>> {
  const cplc = readCplc('cplc', query.cplc)
  atRevision(await findElement(db, cplc, scopeOf(actor)), undefined, 'element')
  const rows = await queries.operationsOf(db, cplc)
  return { items: rows.map((row) => withRights(actor, row)) }
}

/** The command that is on its way is waited for. @throws ProblemError `not_found` or `job_finished`. */
export function cancelCardOperation(
  { db }: MapleContext,
  actor: Actor,
  { id }: { id: string },
): Promise<CardOperation> {
  return db.transaction().execute(async (tx) => {
    const found = await queries.lockOperation(tx, id, scopeOf(actor))
    if (!found) throw new ProblemError('not_found', `There is no operation ${id}.`)
    assertAllowed(actor, 'card.cancel', found)
    await queries.cancelOperation(tx, id)
    return read(tx, actor, id)
  })
}

/**
 * Requests another person's approval for terminating a card.
 * @throws ProblemError `not_found`, `edit_conflict`, `element_terminated`, `element_blocked` or
 * `invalid_request` if the CPLC was not retyped correctly.
 */
export function askTermination(
  { db, now }: MapleContext,
  actor: Actor,
  {
    revision,
    confirm,
    ...given
  }: BodyOf<Calls['POST /api/maple/se/card/terminate']> & { revision: number | undefined },
): Promise<SecureElement> {
  const cplc = readCplc('cplc', given.cplc)
  if (readCplc('confirm', confirm) !== cplc)
    throw invalidField('confirm', 'different', 'This is not the CPLC of the element.')
  return db.transaction().execute(async (tx) => {
    const before = atRevision(await lockElement(tx, cplc, scopeOf(actor)), revision, 'element')
    assertElementAllowed(actor, 'element.terminate', before)
    const request = { action: 'element.terminate', subject: cplc, input: {} } as const
    await needsApproval({ db: tx, now }, actor, request)
    return elementWithRights(actor, (await findElement(tx, cplc, everything)) ?? before)
  })
}

async function read(db: MapleContext['db'], actor: Actor, id: string): Promise<CardOperation> {
  const found = await queries.findOperation(db, id, scopeOf(actor))
  if (!found) throw new ProblemError('not_found', `There is no operation ${id}.`)
  return withRights(actor, found)
}

function withRights(actor: Actor, operation: queries.CardOperationRow): CardOperation {
  const { serviceId: _, input: _input, approvalId: _approval, ...facts } = operation
  return { ...facts, rights: rightsOf(actor, operation, { cancel: 'card.cancel' }) }
}
