import type { Approval } from '@grove/contract/maple/access/approval'
import type { ApprovalAction } from '@grove/contract/maple/access/approval.rules'
import type { JobDefinition, JobRun } from '../../../../core/jobs/define-jobs.ts'
import type { MapleContext } from '../../base/context.ts'
import { approvals } from './approval.queries.ts'

type Approved = Pick<Approval, 'id' | 'subject' | 'input' | 'requestedBy'>

/**
 * Runs approved changes. An interrupted run is repeated, so each runner continues from its stored
 * progress.
 */
export const approvalJob = <Context extends MapleContext>(
  runners: Record<
    ApprovalAction,
    (context: Context, approved: Approved, job: JobRun) => Promise<void>
  >,
): JobDefinition<Context, { id: string }> => ({
  maxAttempts: 3,
  async run(context, { id }, job) {
    const approval = await approvals.lock(context.db, id)
    if (approval?.state === 'approved') await runners[approval.action](context, approval, job)
  },
})
