import { defineJobs } from '../../../core/jobs/define-jobs.ts'
import { foldTally } from '../base/tally.queries.ts'
import { bulkJob, tidyBulks } from './device-bulk/device-bulk-job.ts'
import { countDay } from './device-day/device-day.service.ts'
import { importJob, tidyImports, type ImportInput } from './device-import/import-job.ts'
import type { AccessJobs } from '../access/jobs.ts'
import type { FleetContext } from './context.ts'

const hour = 3600_000

// oxlint-disable-next-line typescript/consistent-type-definitions -- an interface has no index signature
type OwnJobs = {
  'tally.fold': null
  'device.day': null
  'device.bulk': { id: string }
  'device.bulk.tidy': null
  'device.import': ImportInput
  'device.import.tidy': null
}

/** The jobs of this area and of those below it by name, with their inputs. */
export type FleetJobs = AccessJobs & OwnJobs

export const fleetJobs = defineJobs<FleetContext, OwnJobs>({
  'tally.fold': { everyMs: 600_000, run: ({ db, now }) => foldTally(db, now()) },
  /** Today's state of the fleet, for its history. */
  'device.day': { everyMs: hour, run: (context) => countDay(context) },
  'device.bulk': bulkJob,
  'device.bulk.tidy': {
    everyMs: hour,
    run: (context, _input, { signal }) => tidyBulks(context, signal),
  },
  'device.import': importJob,
  /** Files never imported. */
  'device.import.tidy': {
    everyMs: hour,
    run: (context, _input, { signal }) => tidyImports(context, signal),
  },
})
