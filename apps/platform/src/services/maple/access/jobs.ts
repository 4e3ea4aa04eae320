import { defineJobs } from '../../../core/jobs/define-jobs.ts'
import { accountBulkJob, tidyAccountBulks } from './account-bulk/account-bulk-job.ts'
import { expireAll } from './approval/approval.service.ts'
import type { AccessContext } from './context.ts'

const hour = 3600_000

// oxlint-disable-next-line typescript/consistent-type-definitions -- an interface has no index signature
type OwnJobs = {
  'account.bulk': { id: string }
  'account.bulk.tidy': null
  'approval.expire': null
}

/**
 * The jobs of this area by name, with their inputs. What an approved request runs is defined where
 * all areas meet.
 */
export type AccessJobs = OwnJobs & { 'approval.run': { id: string } }

export const accessJobs = defineJobs<AccessContext, OwnJobs>({
  'account.bulk': accountBulkJob,
  'account.bulk.tidy': { everyMs: hour, run: (context) => tidyAccountBulks(context) },
  'approval.expire': { everyMs: hour, run: (context) => expireAll(context) },
})
