import { defineJobs } from '../../../core/jobs/define-jobs.ts'
import { rolloutJob, tickRollouts } from './rollout-job.ts'
import type { RolloutInput } from './wake-rollout.ts'
import type { ConnectJobs } from '../connect/jobs.ts'
import type { RolloutServiceContext } from './context.ts'

// oxlint-disable-next-line typescript/consistent-type-definitions -- an interface has no index signature
type OwnJobs = {
  'rollout.run': RolloutInput
  'rollout.tick': null
}

/** The jobs of this area and of those below it by name, with their inputs. */
export type RolloutJobs = ConnectJobs & OwnJobs

export const rolloutJobs = defineJobs<RolloutServiceContext, OwnJobs>({
  'rollout.run': rolloutJob,
  /** Rollouts that a killed process left asleep. */
  'rollout.tick': { everyMs: 60_000, run: (context) => tickRollouts(context) },
})
