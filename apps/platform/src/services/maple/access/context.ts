import { ofUuid } from '../base/event-scopes.ts'
import { sql } from 'kysely'
import { defineEvents } from '../../../core/events/define-events.ts'
import type { JobQueue } from '../../../core/jobs/job-queue.ts'
import type { MapleContext } from '../base/context.ts'
import type { AccessJobs } from './jobs.ts'

/** Additional dependencies of accounts and approvals: jobs. */
export interface AccessContext extends MapleContext {
  jobs: JobQueue<AccessJobs>
}

export const accountEvents = defineEvents(
  'maple',
  ['account.create', 'account.update', 'account.delete', 'role.grant', 'role.revoke'],
  {
    columns: (id) => ({
      service_id: sql`(select service_id from maple.account where id = ${id}::uuid)`,
    }),
  },
)

/** Their subject is the subject of the request: an element, or a rollout. */
export const approvalEvents = defineEvents(
  'maple',
  [
    'approval.request',
    'approval.approve',
    'approval.refuse',
    'approval.withdraw',
    'approval.expire',
  ],
  {
    columns: (subject) => ({
      service_id: sql`coalesce((select service_id from maple.element where cplc = ${subject}),
        (select service_id from maple.rollout where id = ${ofUuid(subject)}))`,
    }),
  },
)

export const serviceEvents = defineEvents(
  'maple',
  ['service.create', 'service.update', 'service.delete'],
  { columns: (id) => ({ service_id: sql`${id}` }) },
)
