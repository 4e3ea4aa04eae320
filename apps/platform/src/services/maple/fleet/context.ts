import { sql } from 'kysely'
import { defineEvents } from '../../../core/events/define-events.ts'
import type { JobQueue } from '../../../core/jobs/job-queue.ts'
import type { ServiceContext } from '../../../core/service.ts'
import type { AccessContext } from '../access/context.ts'
import type { MapleSettings } from '../base/settings.ts'
import type { ReadSnapshot } from '../base/export/snapshot.ts'
import type { MapleTables } from '../base/tables.ts'
import type { FleetJobs } from './jobs.ts'

/** Additional dependencies of imports and exports: files, jobs, URLs. */
export interface FleetContext
  extends
    AccessContext,
    Pick<ServiceContext<MapleTables, MapleSettings>, 'objects' | 'settings' | 'direct'> {
  jobs: JobQueue<FleetJobs>
  /** Rows that are written in one transaction. */
  importBatchRows: number
  /** Signs the addresses of exports. */
  exportSecret: string
  readSnapshot: ReadSnapshot
}

/** An event belongs to the service provider that owned its object at the time. */
export const events = defineEvents(
  'maple',
  [
    'device.create',
    'device.delete',
    'device.update',
    'device.retire',
    'device.import',
    'element.attach',
    'element.block',
    'element.create',
    'element.delete',
    'element.detach',
    'element.domains',
    'element.hsm',
    'element.lock',
    'element.install',
    'element.uninstall',
    'element.unlock',
    'element.upgrade',
    'element.profile',
    'element.read',
    'element.review',
    'element.replace',
    'element.terminate',
    'element.unblock',
    'profile.create',
    'profile.delete',
    'profile.update',
    'wearable.unlink',
  ],
  {
    // The ids of devices and elements are of different lengths.
    columns: (id) => ({
      service_id: sql`coalesce((select service_id from maple.device where id = ${id}),
        (select service_id from maple.element where cplc = ${id}))`,
    }),
  },
)
export const { record } = events

/** Their subject is the import. */
export const importEvents = defineEvents('maple', ['device.import'], {
  columns: (id) => ({
    service_id: sql`(select service_id from maple.device_import where id = ${id}::uuid)`,
  }),
})

/** Each is of the scope that it names. */
export const exportEvents = defineEvents('maple', ['device.export', 'element.export'], {
  columns: (scope) => ({ service_id: sql`nullif(${scope}, '')` }),
})

/** Their subject is the device or the element, of its owner at the time. */
export const takeOverEvents = defineEvents(
  'maple',
  ['device.lose', 'device.take_over', 'element.lose', 'element.take_over'],
  {
    columns: (id) => ({
      service_id: sql`coalesce((select service_id from maple.device where id = ${id}),
        (select service_id from maple.element where cplc = ${id}))`,
    }),
  },
)

/** Their subject is named by an authority's certificate, or a claim, but belongs to another owner. */
export const disputeEvents = defineEvents('maple', ['device.dispute', 'element.dispute'], {
  columns: (id) => ({
    service_id: sql`coalesce(
      (select service_id from maple.certificate_authority where id = ${id}::uuid),
      (select service_id from maple.claim_code where id = ${id}::uuid))`,
  }),
})
