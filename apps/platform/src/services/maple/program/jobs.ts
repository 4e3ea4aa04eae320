import { defineJobs } from '../../../core/jobs/define-jobs.ts'
import { tidyHandlerRuns } from './cloud-handler/handler-run.service.ts'
import { scriptJob } from './script/script-job.ts'
import { tidyRuns } from './script/script-run.queries.ts'
import { templateRunJob } from './template/template-run-job.ts'
import { tidyRuns as tidyTemplateRuns } from './template/template-run.service.ts'
import type { CardJobs } from '../card/jobs.ts'
import type { ProgramContext } from './context.ts'

const hour = 3600_000

// oxlint-disable-next-line typescript/consistent-type-definitions -- an interface has no index signature
type OwnJobs = {
  'script.run': { batch: string }
  'script.tidy': null
  'handler.run.tidy': null
  'template.run': { id: string }
  'template.delegated': { id: string }
  'template.tidy': null
}

/** The jobs of this area and of those below it by name, with their inputs. */
export type ProgramJobs = CardJobs & OwnJobs

export const programJobs = defineJobs<ProgramContext, OwnJobs>({
  'script.run': scriptJob,
  'script.tidy': { everyMs: hour, run: ({ db }, _input, { signal }) => tidyRuns(db, signal) },
  'handler.run.tidy': {
    everyMs: hour,
    run: (context, _input, { signal }) => tidyHandlerRuns(context, signal),
  },
  'template.run': templateRunJob,
  /** A run with tokens, which a process of the previous release would send without them. */
  'template.delegated': templateRunJob,
  'template.tidy': { everyMs: hour, run: (context) => tidyTemplateRuns(context) },
})
