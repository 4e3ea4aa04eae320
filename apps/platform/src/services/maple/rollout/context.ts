import { ofUuid } from '../base/event-scopes.ts'
import { sql } from 'kysely'
import { defineEvents } from '../../../core/events/define-events.ts'
import type { JobQueue } from '../../../core/jobs/job-queue.ts'
import type { ConnectContext } from '../connect/context.ts'
import type { RolloutJobs } from './jobs.ts'

/** The dependencies of a rollout's programs: everything below it. */
export interface RolloutServiceContext extends ConnectContext {
  jobs: JobQueue<RolloutJobs>
}

export const rolloutEvents = defineEvents(
  'maple',
  [
    'rollout.create',
    'rollout.update',
    'rollout.delete',
    'rollout.start',
    'rollout.pause',
    'rollout.resume',
    'rollout.next_group',
    'rollout.stop',
    'rollout.finish',
    'rollout.roll_back',
    'rollout.retry',
    'rollout.policy',
  ],
  {
    // The policy is of the service provider itself.
    columns: (id) => ({
      service_id: sql`coalesce(
        (select service_id from maple.rollout where id = ${ofUuid(id)}),
        (select service.id from maple.service as service where service.id = ${id}))`,
    }),
  },
)
