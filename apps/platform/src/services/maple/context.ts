import { defineEvents } from '../../core/events/define-events.ts'
import type { ServiceContext } from '../../core/service.ts'
import type { MapleTables } from './tables.ts'

export type MapleContext = Pick<ServiceContext<MapleTables>, 'db' | 'now'>

export const events = defineEvents('maple', [
  'device.create',
  'device.update',
  'device.retire',
  'device.import',
  'element.detach',
  'wearable.unlink',
])
export const { record } = events
