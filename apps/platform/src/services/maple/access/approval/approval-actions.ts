import type { Approval } from '@grove/contract/maple/access/approval'
import type { ApprovalAction } from '@grove/contract/maple/access/approval.rules'
import type { MapleServiceContext } from '../../context.ts'
import type { JobDefinition, JobRun } from '../../../../core/jobs/define-jobs.ts'
import { switchCustody } from '../../card/key/hsm-switch.ts'
import { startApproved } from '../../rollout/rollout.service.ts'
import { terminateCard } from '../../card/element-card/terminate-card.ts'
import { approvals } from './approval.queries.ts'

type Approved = Pick<Approval, 'id' | 'subject' | 'input' | 'requestedBy'>

/**
 * What an approved request runs. A run that was cut off is repeated, so each continues from what it
 * has written down.
 */
const runners: Record<
  ApprovalAction,
  (context: MapleServiceContext, approved: Approved, job: JobRun) => Promise<void>
> = {
  'element.hsm': switchCustody,
  'element.terminate': terminateCard,
  'rollout.start': startApproved,
}

export const approvalJob: JobDefinition<MapleServiceContext, { id: string }> = {
  maxAttempts: 3,
  async run(context, { id }, job) {
    const approval = await approvals.lock(context.db, id)
    if (approval?.state === 'approved') await runners[approval.action](context, approval, job)
  },
}
