import type { ServiceContext } from '../../../core/service.ts'
import type { MapleTables } from './tables.ts'

export type MapleContext = Pick<ServiceContext<MapleTables>, 'db' | 'now' | 'replica'>

/** Additional dependencies of calls: which services run here, and how. */
export type CallContext = Pick<ServiceContext<MapleTables>, 'services' | 'config' | 'stream'>
