import { defineJobs } from '../../core/jobs/define-jobs.ts'
import { accountBulkJob, tidyAccountBulks } from './access/account-bulk/account-bulk-job.ts'
import { foldTally } from './fleet/tally/tally.queries.ts'
import { operationJob } from './card/applet/operation-job.ts'
import { cardOperationJob } from './card/element-card/card-operation-job.ts'
import { bulkJob, tidyBulks } from './fleet/device-bulk/device-bulk-job.ts'
import { tidyHandlerRuns } from './program/cloud-handler/handler-run.service.ts'
import type { MapleServiceContext } from './context.ts'
import { tidyCommands } from './connect/device-command/device-command.service.ts'
import { tidyMessages } from './connect/device-connection/device-connection.service.ts'
import { scriptJob } from './program/script/script-job.ts'
import { tidyRuns } from './program/script/script-run.queries.ts'
import { rollTelemetry, tidyTelemetry } from './connect/telemetry/telemetry.service.ts'
import { tidyDeviceSessions } from './connect/device-session/device-session.service.ts'
import { tidySessions } from './card/session/session-retention.ts'
import { forgetLeftovers } from './card/key/hsm-leftovers.ts'
import { rewrapKeys } from './card/key/rewrap.ts'
import { rotationJob } from './card/key/rotation-job.ts'
import { approvalJob } from './access/approval/approval-actions.ts'
import { expireAll } from './access/approval/approval.service.ts'
import { templateRunJob } from './program/template/template-run-job.ts'
import { rolloutJob, tickRollouts } from './rollout/rollout-job.ts'
import type { RolloutInput } from './rollout/wake-rollout.ts'
import { importJob, tidyImports, type ImportInput } from './fleet/device-import/import-job.ts'

const hour = 3600_000

/** The jobs of this service by name, with the input of each. */
// oxlint-disable-next-line typescript/consistent-type-definitions -- an interface has no index signature
export type MapleJobs = {
  'tally.fold': null
  'account.bulk': { id: string }
  'account.bulk.tidy': null
  'applet.operation': { id: string }
  'card.operation': { id: string }
  'device.bulk': { id: string }
  'device.bulk.tidy': null
  'device.import': ImportInput
  'device.import.tidy': null
  'script.run': { batch: string }
  'script.tidy': null
  'rollout.run': RolloutInput
  'rollout.tick': null
  'session.tidy': null
  'device.message.tidy': null
  'handler.run.tidy': null
  'device.command.tidy': null
  'telemetry.roll': null
  'telemetry.tidy': null
  'approval.run': { id: string }
  'approval.expire': null
  'key.rotate': { id: string }
  'key.rewrap': null
  'key.forget': null
  'template.run': { id: string }
}

export const mapleJobs = defineJobs<MapleServiceContext, MapleJobs>({
  'tally.fold': { everyMs: 600_000, run: ({ db, now }) => foldTally(db, now()) },
  'account.bulk': accountBulkJob,
  'account.bulk.tidy': { everyMs: hour, run: (context) => tidyAccountBulks(context) },
  'applet.operation': operationJob,
  'card.operation': cardOperationJob,
  'device.bulk': bulkJob,
  'device.bulk.tidy': {
    everyMs: hour,
    run: (context, _input, { signal }) => tidyBulks(context, signal),
  },
  'device.import': importJob,
  /** Files that nobody imported. */
  'device.import.tidy': {
    everyMs: hour,
    run: (context, _input, { signal }) => tidyImports(context, signal),
  },
  'script.run': scriptJob,
  'script.tidy': { everyMs: hour, run: ({ db }, _input, { signal }) => tidyRuns(db, signal) },
  'rollout.run': rolloutJob,
  /** What a killed process left asleep. */
  'rollout.tick': { everyMs: 60_000, run: (context) => tickRollouts(context) },
  /** Partitions for the days to come; logs that are older than the setting. */
  'session.tidy': {
    everyMs: hour,
    run: async (context, _input, { signal }) => {
      await tidySessions(context, signal)
      await tidyDeviceSessions(context, signal)
    },
  },
  'device.message.tidy': {
    everyMs: hour,
    run: (context, _input, { signal }) => tidyMessages(context, signal),
  },
  'handler.run.tidy': {
    everyMs: hour,
    run: (context, _input, { signal }) => tidyHandlerRuns(context, signal),
  },
  /** Commands whose time is over. */
  'device.command.tidy': {
    everyMs: 60_000,
    run: (context, _input, { signal }) => tidyCommands(context, signal),
  },
  /** Partitions for the days to come; days that are older than the setting. */
  'telemetry.tidy': {
    everyMs: hour,
    run: (context, _input, { signal }) => tidyTelemetry(context, signal),
  },
  /** Hours that are over, for charts of long ranges. */
  'telemetry.roll': {
    everyMs: 5 * 60_000,
    run: (context, _input, { signal }) => rollTelemetry(context, signal),
  },
  'approval.run': approvalJob,
  'key.rotate': rotationJob,
  /** After another vault key was added. */
  'key.rewrap': { everyMs: hour, run: async (context) => void (await rewrapKeys(context)) },
  /** Keys in the HSM that no key set needs. */
  'key.forget': {
    everyMs: hour,
    run: (context, _input, { signal }) => forgetLeftovers(context, signal),
  },
  'approval.expire': { everyMs: hour, run: (context) => expireAll(context) },
  'template.run': templateRunJob,
})
