import { defineAudit } from '../../core/audit.ts'
import type { ServiceContext } from '../../core/service.ts'
import type { MapleTables } from './tables.ts'

export type MapleContext = Pick<ServiceContext<MapleTables>, 'db' | 'now'>

export const audit = defineAudit<
  'device.create' | 'device.update' | 'device.retire' | 'device.import' | 'element.detach'
>('maple')
