import { sql, type RawBuilder } from 'kysely'
import { defineEvents } from '../../core/events/define-events.ts'
import type { JobQueue } from '../../core/jobs/job-queue.ts'
import type { Sandbox } from '../../core/sandbox/sandbox.ts'
import type { ServiceContext } from '../../core/service.ts'
import type { MapleJobs } from './jobs.ts'
import type { ReadSnapshot } from './base/export/snapshot.ts'
import type { KeyContext } from './card/key/key-provider.ts'
import type { HandlerRunner } from './program/cloud-handler/handler-runner.ts'
import type { DeviceHub } from './connect/gateway/device-hub.ts'
import type { ReaderHub } from './card/reader/reader-hub.ts'
import type { SessionHub } from './card/session/session-hub.ts'
import type { MapleSettings } from './settings.ts'
import type { MapleTables } from './base/tables.ts'

export type MapleContext = Pick<ServiceContext<MapleTables>, 'db' | 'now'>

/** What commands and states of devices work with besides. */
export interface DeviceContext extends MapleContext {
  /** Devices that are connected to this process. */
  devices: DeviceHub
}

/** What secrets of devices work with besides: accounts at a broker, sealed until it has them. */
export interface CredentialContext extends MapleContext {
  settings: Pick<MapleSettings, 'brokerUrl'>
  sessionSecret: string
}

/** What readers of secure elements work with besides. */
export interface ReaderContext extends DeviceContext {
  /** Those that are connected to this process. */
  readers: ReaderHub
}

/** What sessions with secure elements work with besides. */
export interface SessionContext extends KeyContext, ReaderContext {
  /** The sessions of this process. */
  sessions: SessionHub
  /** Seals commands that wait for another process. */
  sessionSecret: string
}

/** What imports and exports work with besides: files, jobs, addresses. */
export interface ImportContext
  extends KeyContext, Pick<ServiceContext<MapleTables, MapleSettings>, 'objects' | 'settings'> {
  jobs: JobQueue<MapleJobs>
  /** Rows that are written in one transaction. */
  importBatchRows: number
  /** Signs the addresses of exports. */
  exportSecret: string
  readSnapshot: ReadSnapshot
}

/** What jobs work with. */
export interface MapleServiceContext extends ImportContext, SessionContext {
  /** Runs what developers wrote. */
  sandbox: Sandbox
}

/** What the calls work with besides: which services run here, and how. */
export interface MapleCallContext
  extends MapleServiceContext, Pick<ServiceContext<MapleTables>, 'services' | 'config'> {
  /** Runs the deliveries of cloud handlers. */
  handlers: HandlerRunner
}

/** spec §9 "Api versions". */
export const apiVersion = '3'

const ofElement = (cplc: RawBuilder<unknown>) => ({
  service_id: sql`(select service_id from maple.element where cplc = ${cplc})`,
})

/** A subject that may be something else than a UUID: null then. `case` would be no guard for a constant. */
const ofUuid = (subject: RawBuilder<unknown>) =>
  sql`substring(${subject} from '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$')::uuid`

/** The events of a service provider are those of what belonged to it when they happened. */
export const events = defineEvents(
  'maple',
  [
    'device.create',
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

export const cardEvents = defineEvents(
  'maple',
  [
    'software_card.break',
    'software_card.create',
    'software_card.delete',
    'software_card.forget',
    'software_card.reset',
    'software_card.restore',
    'software_card.snapshot',
    'software_card.update',
  ],
  {
    columns: (id) => ({
      service_id: sql`(select service_id from maple.software_card where cplc = ${id})`,
    }),
  },
)

export const accountEvents = defineEvents(
  'maple',
  ['account.create', 'account.update', 'account.delete', 'role.grant', 'role.revoke'],
  {
    columns: (id) => ({
      service_id: sql`(select service_id from maple.account where id = ${id}::uuid)`,
    }),
  },
)

/** Their subject is what the request is for: an element, or a rollout. */
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

/** Their subject is the element. */
export const keyEvents = defineEvents(
  'maple',
  [
    'key_set.import',
    'key_set.retire',
    'key_set.rotate',
    'key_set.rollback',
    'master.create',
    'master.delete',
  ],
  { columns: ofElement },
)

export const serviceEvents = defineEvents(
  'maple',
  ['service.create', 'service.update', 'service.delete'],
  { columns: (id) => ({ service_id: sql`${id}` }) },
)

export const appletEvents = defineEvents(
  'maple',
  [
    'applet.upload',
    'applet.verify',
    'applet.release',
    'applet.revoke',
    'applet.delete',
    'applet.install',
    'applet.upgrade',
    'applet.uninstall',
    'applet.read',
    'applet.cancel',
    'applet.retry',
  ],
  {
    columns: (id) => ({
      service_id: sql`(select service_id from maple.applet where id = ${id}::uuid)`,
    }),
  },
)

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

export const sessionEvents = defineEvents(
  'maple',
  ['session.open', 'session.close', 'session.take_over'],
  {
    columns: (id) => ({
      service_id: sql`(select service_id from maple.session where id = ${id}::uuid)`,
    }),
  },
)

export const readerEvents = defineEvents(
  'maple',
  ['reader.create', 'reader.connect', 'reader.delete'],
  {
    columns: (id) => ({
      service_id: sql`(select service_id from maple.reader where id = ${id}::uuid)`,
    }),
  },
)

export const productEvents = defineEvents(
  'maple',
  ['iot_product.create', 'iot_product.update', 'iot_product.move', 'iot_product.delete'],
  {
    columns: (id) => ({
      service_id: sql`(select service_id from maple.product where id = ${id}::uuid)`,
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

export const imageEvents = defineEvents(
  'maple',
  [
    'binary_image.upload',
    'binary_image.update',
    'binary_image.verify',
    'binary_image.release',
    'binary_image.revoke',
    'binary_image.delete',
  ],
  {
    columns: (id) => ({
      service_id: sql`(select service_id from maple.binary_image where id = ${id}::uuid)`,
    }),
  },
)

export const imageKeyEvents = defineEvents('maple', ['image_key.create', 'image_key.delete'], {
  columns: (id) => ({
    service_id: sql`(select service_id from maple.image_key where id = ${id}::uuid)`,
  }),
})

/** Their subject is the device or the element, of whoever has it at that moment. */
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

/** Their subject is the device. */
export const credentialEvents = defineEvents(
  'maple',
  ['credential.create', 'credential.revoke', 'device.certify', 'device.claim'],
  {
    columns: (id) => ({ service_id: sql`(select service_id from maple.device where id = ${id})` }),
  },
)

/** Their subject is the device. */
export const commandEvents = defineEvents(
  'maple',
  ['command.cancel', 'command.send', 'twin.update'],
  {
    columns: (id) => ({ service_id: sql`(select service_id from maple.device where id = ${id})` }),
  },
)

export const authorityEvents = defineEvents(
  'maple',
  [
    'authority.create',
    'authority.delete',
    'authority.prove',
    'authority.revoke',
    'authority.update',
  ],
  {
    columns: (id) => ({
      service_id: sql`(select service_id from maple.certificate_authority where id = ${id}::uuid)`,
    }),
  },
)

/** Their subject is what a certificate of an authority, or a claim, names, and somebody else has. */
export const disputeEvents = defineEvents('maple', ['device.dispute', 'element.dispute'], {
  columns: (id) => ({
    service_id: sql`coalesce(
      (select service_id from maple.certificate_authority where id = ${id}::uuid),
      (select service_id from maple.claim_code where id = ${id}::uuid))`,
  }),
})

export const claimEvents = defineEvents('maple', ['claim_code.create', 'claim_code.revoke'], {
  columns: (id) => ({
    service_id: sql`(select service_id from maple.claim_code where id = ${id}::uuid)`,
  }),
})
