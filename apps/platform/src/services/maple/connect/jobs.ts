import { defineJobs } from '../../../core/jobs/define-jobs.ts'
import { tidyCommands } from './device-command/device-command.service.ts'
import { tidyMessages } from './device-connection/device-connection.service.ts'
import { rollTelemetry, tidyTelemetry } from './telemetry/telemetry.service.ts'
import { tidyDeviceSessions } from './device-session/device-session.service.ts'
import { tidySessions } from '../card/session/session-retention.ts'
import type { ProgramJobs } from '../program/jobs.ts'
import type { ConnectContext } from './context.ts'

const hour = 3600_000

// oxlint-disable-next-line typescript/consistent-type-definitions -- an interface has no index signature
type OwnJobs = {
  'session.tidy': null
  'device.message.tidy': null
  'device.command.tidy': null
  'telemetry.tidy': null
  'telemetry.roll': null
}

/** The jobs of this area and of those below it by name, with their inputs. */
export type ConnectJobs = ProgramJobs & OwnJobs

export const connectJobs = defineJobs<ConnectContext, OwnJobs>({
  /** Partitions for the coming days; logs past their retention. */
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
  /** Overdue commands. */
  'device.command.tidy': {
    everyMs: 60_000,
    run: (context, _input, { signal }) => tidyCommands(context, signal),
  },
  /** Partitions for the coming days; days past their retention. */
  'telemetry.tidy': {
    everyMs: hour,
    run: (context, _input, { signal }) => tidyTelemetry(context, signal),
  },
  /** Hours that are over, for charts of long ranges. */
  'telemetry.roll': {
    everyMs: 5 * 60_000,
    run: (context, _input, { signal }) => rollTelemetry(context, signal),
  },
})
