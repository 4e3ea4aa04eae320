import type { JobState } from '@grove/contract/core/job.rules'
import { definePolicy, refusal } from '../policy.ts'

interface JobFacts {
  state: JobState
  /** Its input is kept, and a job of its name exists. */
  canRun: boolean
}

/** Admins' rights on jobs, by state. */
export const { assertAllowed, rightsOf } = definePolicy({
  'job.retry': ({ state, canRun }: JobFacts) => {
    if (state !== 'failed' && state !== 'cancelled')
      return refusal('job_not_finished', 'Only a failed or cancelled job can be retried.')
    return canRun
      ? null
      : refusal('job_input_gone', 'Its input is no longer kept, or no job has its name.')
  },

  'job.cancel': ({ state }: JobFacts) =>
    state === 'queued' || state === 'running'
      ? null
      : refusal('job_finished', 'The job has finished; there is nothing to cancel.'),
})
