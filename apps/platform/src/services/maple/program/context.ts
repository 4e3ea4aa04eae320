import { sql } from 'kysely'
import { defineEvents } from '../../../core/events/define-events.ts'
import type { JobQueue } from '../../../core/jobs/job-queue.ts'
import type { Sandbox } from '../../../core/sandbox/sandbox.ts'
import type { CardContext } from '../card/context.ts'
import type { HandlerRunner } from './cloud-handler/handler-runner.ts'
import type { ProgramJobs } from './jobs.ts'

/** Additional dependencies of developers' programs. */
export interface ProgramContext extends CardContext {
  jobs: JobQueue<ProgramJobs>
  /** Runs what developers wrote. */
  sandbox: Sandbox
}

/** Additional dependencies of cloud handler calls. */
export interface HandlerContext extends ProgramContext {
  /** Runs the deliveries of cloud handlers. */
  handlers: HandlerRunner
}

export const templateEvents = defineEvents(
  'maple',
  [
    'template.create',
    'template.update',
    'template.publish',
    'template.deprecate',
    'template.restore',
    'template.delete',
    'template.run',
    'template.cancel',
  ],
  {
    columns: (id) => ({
      service_id: sql`(select service_id from maple.template where id = ${id}::uuid)`,
    }),
  },
)

export const scriptEvents = defineEvents(
  'maple',
  [
    'script.create',
    'script.update',
    'script.delete',
    'script.publish',
    'script.rollback',
    'script.run',
    'script.cancel',
    'script.set_secret',
    'script.delete_secret',
  ],
  {
    columns: (id) => ({
      service_id: sql`(select service_id from maple.script where id = ${id}::uuid)`,
    }),
  },
)

export const deviceHandlerEvents = defineEvents(
  'maple',
  [
    'device_handler.create',
    'device_handler.update',
    'device_handler.publish',
    'device_handler.rollback',
    'device_handler.delete',
  ],
  {
    columns: (id) => ({
      service_id: sql`(select service_id from maple.device_handler where id = ${id}::uuid)`,
    }),
  },
)
