import { randomUUID } from 'node:crypto'
import type { Approval } from '@grove/contract/maple/access/approval'
import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import {
  approvalDays,
  approvalsNeeded,
  type ApprovalAction,
} from '@grove/contract/maple/access/approval.rules'
import { processActor, type Actor } from '../../../../core/actor.ts'
import { atRevision } from '../../../../core/http/at-revision.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { JobQueue } from '../../../../core/jobs/job-queue.ts'
import { isInScope, scopeOf } from '../../../../core/scope.ts'
import { approvalEvents as events } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { ownerOf } from '../../base/job-turn.ts'
import type { AccessJobs } from '../jobs.ts'
import { assertAllowed, rightsOf } from '../access.policy.ts'
import type { MapleDb } from '../../base/tables.ts'
import {
  approvals,
  expireRequests,
  findPending,
  serviceOfSubject,
  type ApprovalFacts,
} from './approval.queries.ts'

const what = 'request'
const dayMs = 24 * 3600_000
/** A request for many cards names this many of them. */
export const maxNamedCards = 5

export interface ApprovalContext extends MapleContext {
  jobs: JobQueue<AccessJobs>
}

export async function listApprovals(
  { db }: MapleContext,
  actor: Actor,
  query: QueryOf<Calls['GET /api/maple/approvals']>,
): Promise<ResponseOf<Calls['GET /api/maple/approvals']>> {
  const page = await approvals.read(db, { ...query, scope: scopeOf(actor) })
  return { ...page, items: page.items.map((each) => withRights(actor, each)) }
}

/**
 * Requests approval of a change, in the transaction of the requesting call. A repeated request
 * returns the pending one.
 */
export async function needsApproval(
  { db, now }: MapleContext,
  actor: Actor,
  { action, subject, input }: { action: ApprovalAction; subject: string; input: Approval['input'] },
): Promise<Approval> {
  await recordExpired(db, await expireRequests(db, { now: now(), subject }))
  const pending = await findPending(db, subject, action)
  if (pending !== undefined)
    return withRights(actor, atRevision(await approvals.lock(db, pending), undefined, what))
  const after = await approvals.insert(db, {
    id: randomUUID(),
    serviceId: await serviceOfSubject(db, subject),
    action,
    subject,
    input,
    state: 'pending',
    needed: approvalsNeeded[action],
    votes: [],
    requestedBy: actor.id,
    expiresAt: new Date(now() + approvalDays * dayMs).toISOString(),
    jobId: null,
  })
  if (!after) throw new Error('a new id is not taken')
  await events.record(db, actor, 'approval.request', subject, { after })
  return withRights(actor, after)
}

/** @throws ProblemError `not_found`, `edit_conflict`, `own_request` or `approval_decided`. */
export function decide(
  { db, now, jobs }: ApprovalContext,
  actor: Actor,
  {
    id,
    revision,
    isApproved,
    comment = '',
  }: BodyOf<Calls['PUT /api/maple/approvals']> & { id: string; revision: number | undefined },
): Promise<Approval> {
  return change(db, { actor, id, revision, now: now() }, async (tx, before) => {
    assertAllowed(actor, 'approval.decide', before)
    const at = new Date(now()).toISOString()
    const vote = { by: actor.id, isApproved, comment: comment.trim() || null, at }
    const votes = [...before.votes, vote]
    const isDecided = !isApproved || votes.length >= before.needed
    const jobId =
      isApproved && isDecided
        ? await jobs.enqueue(
            tx,
            'approval.run',
            { id },
            {
              owner: ownerOf(before.serviceId, before.requestedBy),
              createdBy: before.requestedBy,
              scope: before.serviceId,
            },
          )
        : null
    const state = isDecided ? (isApproved ? 'approved' : 'refused') : 'pending'
    const action = isApproved ? 'approval.approve' : 'approval.refuse'
    return { after: { ...before, votes, state, jobId }, action }
  })
}

/** @throws ProblemError `not_found`, `edit_conflict` or `approval_decided`. */
export function withdraw(
  { db, now }: MapleContext,
  actor: Actor,
  { id, revision }: { id: string; revision: number | undefined },
): Promise<Approval> {
  return change(db, { actor, id, revision, now: now() }, async (_tx, before) => {
    assertAllowed(actor, 'approval.withdraw', before)
    return { after: { ...before, state: 'withdrawn' }, action: 'approval.withdraw' }
  })
}

type ApprovalEvent = 'approval.approve' | 'approval.refuse' | 'approval.withdraw'

function change(
  db: MapleDb,
  {
    actor,
    id,
    revision,
    now,
  }: { actor: Actor; id: string; revision: number | undefined; now: number },
  make: (
    tx: MapleDb,
    before: ApprovalFacts,
  ) => Promise<{ after: ApprovalFacts; action: ApprovalEvent }>,
): Promise<Approval> {
  return db.transaction().execute(async (tx) => {
    const found = await approvals.lock(tx, id)
    const visible = isInScope(scopeOf(actor), found?.serviceId) ? found : undefined
    const before = atRevision(visible, revision, what)
    if (before.state === 'pending' && Date.parse(before.expiresAt) <= now)
      throw new ProblemError(
        'approval_decided',
        'Nobody decided in time, so the request expired. Request it again.',
      )
    const { after: next, action } = await make(tx, before)
    const after = (await approvals.update(tx, next)) ?? before
    await events.record(tx, actor, action, before.subject, { before, after })
    return withRights(actor, after)
  })
}

/** Expires requests without a timely decision. */
export function expireAll({ db, now }: MapleContext): Promise<void> {
  return db.transaction().execute(async (tx) => {
    await recordExpired(tx, await expireRequests(tx, { now: now() }))
  })
}

async function recordExpired(
  db: MapleDb,
  expired: readonly { id: string; subject: string; action: string }[],
): Promise<void> {
  for (const { id, subject, action } of expired)
    await events.record(db, processActor('approval.expire'), 'approval.expire', subject, {
      before: { id, action, state: 'pending' },
      after: { id, action, state: 'expired' },
    })
}

function withRights(actor: Actor, { serviceId: _serviceId, ...approval }: ApprovalFacts): Approval {
  const names = { decide: 'approval.decide', withdraw: 'approval.withdraw' } as const
  return { ...approval, rights: rightsOf(actor, approval, names) }
}
