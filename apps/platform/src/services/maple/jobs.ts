import { defineJobs } from '../../core/jobs/define-jobs.ts'
import { approvalJob } from './access/approval/approval-job.ts'
import { accessJobs } from './access/jobs.ts'
import { terminateCard } from './card/element-card/terminate-card.ts'
import { startSigned } from './card/applet/operation.service.ts'
import { cardJobs } from './card/jobs.ts'
import { wrapKeys } from './card/key/key-export.service.ts'
import { signTokens } from './card/purpose-key/token.service.ts'
import { switchCustody } from './card/key/hsm-switch.ts'
import { connectJobs } from './connect/jobs.ts'
import { fleetJobs } from './fleet/jobs.ts'
import { programJobs } from './program/jobs.ts'
import { startSignedRun } from './program/template/template-run.service.ts'
import type { RolloutServiceContext } from './rollout/context.ts'
import { rolloutJobs, type RolloutJobs } from './rollout/jobs.ts'
import { startApproved } from './rollout/rollout.service.ts'

/** The jobs of this service by name, with the input of each. */
export type MapleJobs = RolloutJobs

export const mapleJobs = defineJobs<RolloutServiceContext, MapleJobs>({
  ...accessJobs,
  ...fleetJobs,
  ...cardJobs,
  ...programJobs,
  ...connectJobs,
  ...rolloutJobs,
  'approval.run': approvalJob<RolloutServiceContext>({
    /** For an operation or a run: each ignores what is not its own. */
    'card.sign': async (context, approved) => {
      await startSigned(context, approved)
      await startSignedRun(context, approved)
    },
    'element.hsm': switchCustody,
    'element.terminate': terminateCard,
    'key.export': wrapKeys,
    'rollout.start': startApproved,
    'token.sign': signTokens,
  }),
})
