import { defineJobs } from '../../core/jobs/define-jobs.ts'
import type { CedarContext } from './context.ts'
import { packageIndexOf } from './difference/package-index.service.ts'
import { sweepObjects } from './storage/objects.service.ts'

const tenMinutes = 600_000

export type CedarJobs = {
  'object.delete': null
  'package.index': { sha256: string }
}

export const cedarJobs = defineJobs<CedarContext, CedarJobs>({
  /** Packages and images that nothing refers to any more. */
  'object.delete': {
    everyMs: tenMinutes,
    run: async (context, _input, { signal }) => {
      while ((await sweepObjects(context)) > 0) signal.throwIfAborted()
    },
  },
  /** The files of a package that was just uploaded; a comparison that comes first makes it itself. */
  'package.index': {
    maxAttempts: 3,
    run: async (context, { sha256 }) => {
      await packageIndexOf(context, sha256)
    },
  },
})
