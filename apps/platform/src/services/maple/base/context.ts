import type { ServiceContext } from '../../../core/service.ts'
import type { MapleTables } from './tables.ts'

export type MapleContext = Pick<ServiceContext<MapleTables>, 'db' | 'now'>

/** What calls work with besides: which services run here, and how. */
export type CallContext = Pick<ServiceContext<MapleTables>, 'services' | 'config'>
