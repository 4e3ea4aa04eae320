import { defineJobs } from '../../../core/jobs/define-jobs.ts'
import { operationJob } from './applet/operation-job.ts'
import { cardOperationJob } from './element-card/card-operation-job.ts'
import { forgetExports } from './key/key-export.queries.ts'
import { forgetLeftovers } from './key/hsm-leftovers.ts'
import { rewrapKeys } from './key/rewrap.ts'
import { rotationJob } from './key/rotation-job.ts'
import { forgetTokenRequests } from './purpose-key/token.queries.ts'
import { purposeKeyJob } from './purpose-key/purpose-key-job.ts'
import type { FleetJobs } from '../fleet/jobs.ts'
import type { CardContext } from './context.ts'

const hour = 3600_000

// oxlint-disable-next-line typescript/consistent-type-definitions -- an interface has no index signature
type OwnJobs = {
  'applet.delegated': { id: string }
  'applet.operation': { id: string }
  'card.operation': { id: string }
  'key.put': { id: string }
  'key.rotate': { id: string }
  'key.purpose': { id: string }
  'key.rewrap': null
  'key.forget': null
}

/** The jobs of this area and of those below it by name, with their inputs. */
export type CardJobs = FleetJobs & OwnJobs

export const cardJobs = defineJobs<CardContext, OwnJobs>({
  'applet.delegated': operationJob,
  'applet.operation': operationJob,
  'card.operation': cardOperationJob,
  'key.put': rotationJob,
  /** The name under which the previous release queues it. */
  'key.rotate': rotationJob,
  'key.purpose': purposeKeyJob,
  /** After another vault key was added. */
  'key.rewrap': { everyMs: hour, run: async (context) => void (await rewrapKeys(context)) },
  /** Keys in the HSM that no key set needs, and exports whose time to be read is over. */
  'key.forget': {
    everyMs: hour,
    run: async (context, _input, { signal }) => {
      await forgetExports(context.db)
      await forgetTokenRequests(context.db)
      await forgetLeftovers(context, signal)
    },
  },
})
