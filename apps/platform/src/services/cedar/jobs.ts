import { defineJobs } from '../../core/jobs/define-jobs.ts'
import type { CedarContext } from './context.ts'
import { sweepObjects } from './storage/objects.service.ts'

const tenMinutes = 600_000

export const cedarJobs = defineJobs<CedarContext, { 'object.delete': null }>({
  /** Packages and images that nothing refers to any more. */
  'object.delete': {
    everyMs: tenMinutes,
    run: async (context, _input, { signal }) => {
      while ((await sweepObjects(context)) > 0) signal.throwIfAborted()
    },
  },
})
