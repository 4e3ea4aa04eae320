import { sql } from 'kysely'
import { defineEvents } from '../../../core/events/define-events.ts'
import type { JobQueue } from '../../../core/jobs/job-queue.ts'
import type { MapleContext } from '../base/context.ts'
import type { MapleSettings } from '../base/settings.ts'
import type { ProgramContext } from '../program/context.ts'
import type { DeviceHub } from './gateway/device-hub.ts'
import type { ConnectJobs } from './jobs.ts'
import type { TelemetryStore } from './telemetry/telemetry-store.ts'

/** Additional dependencies of device commands and states. */
export interface DeviceContext extends MapleContext {
  /** Devices that are connected to this process. */
  devices: DeviceHub
}

/**
 * Additional dependencies of device secrets: broker accounts, encrypted until the broker has them.
 */
export interface CredentialContext extends MapleContext {
  settings: Pick<MapleSettings, 'brokerUrl'>
  sessionSecret: string
}

export interface ConnectContext extends ProgramContext, DeviceContext {
  jobs: JobQueue<ConnectJobs>
  telemetry: TelemetryStore
}

export const productEvents = defineEvents(
  'maple',
  ['iot_product.create', 'iot_product.update', 'iot_product.move', 'iot_product.delete'],
  {
    columns: (id) => ({
      service_id: sql`(select service_id from maple.product where id = ${id}::uuid)`,
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

export const claimEvents = defineEvents('maple', ['claim_code.create', 'claim_code.revoke'], {
  columns: (id) => ({
    service_id: sql`(select service_id from maple.claim_code where id = ${id}::uuid)`,
  }),
})
