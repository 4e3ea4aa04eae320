import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type {
  DeviceHandler,
  DeviceHandlerItem,
  DeviceHandlerVersion,
} from '@grove/contract/maple/program/device-handler'
import type { QueryOf } from '@grove/contract/call'
import {
  deviceHandlerSorting,
  deviceHandlerVersionSorting,
  type DeviceHandlerState,
} from '@grove/contract/maple/program/device-handler.rules'
import { definePrograms } from '../../../../core/program/define-programs.ts'
import type { MapleDb } from '../../base/tables.ts'

/** The stored data of a version. */
export type HandlerContent = Pick<DeviceHandlerVersion, 'code' | 'tests'>

/** A handler as it is stored; what may be done to it depends on the reader. */
export type HandlerItemRow = Omit<DeviceHandlerItem, 'rights'>
export type HandlerRow = Omit<DeviceHandler, 'rights'>
type Query = QueryOf<Calls['GET /api/maple/device_handlers']>

export const hashOf = ({ code, tests }: HandlerContent): string =>
  createHash('sha256')
    .update(JSON.stringify([code, tests]))
    .digest('hex')

/** Products that a page names. */
const shownProducts = 50

export const deviceHandlers = definePrograms<HandlerItemRow, HandlerRow, HandlerContent, Query>({
  table: 'maple.device_handler',
  listed: sql`program.note, program.state`,
  opened: sql`program.code, program.tests, coalesce((
  select json_agg(json_build_object('id', product.id, 'name', product.name) order by product.name)
  from (select id, name from maple.product where handler_id = program.id
    order by name_key limit ${sql.lit(shownProducts)}) as product), '[]') as products`,
  sorting: deviceHandlerSorting,
  filters: { state: (state: DeviceHandlerState) => sql`program.state = ${state}` },
  versions: {
    content: { code: 'text', tests: 'json' },
    sorting: deviceHandlerVersionSorting,
    hash: hashOf,
  },
})

/** What decodes for a device and encodes for it. */
export interface LiveHandler {
  serviceId: string | null
  code: string
}

/** The handler of the product of a device, if that has one that is published. */
export async function findLiveHandler(
  db: MapleDb,
  deviceId: string,
): Promise<LiveHandler | undefined> {
  const { rows } = await sql<LiveHandler>`
    select handler.service_id as "serviceId", live.code
    from maple.device as device
    join maple.product as product on product.id = device.product_id
    join maple.device_handler as handler on handler.id = product.handler_id
      and handler.service_id is not distinct from device.service_id
    join maple.device_handler_version as live
      on live.device_handler_id = handler.id and live.number = handler.version
    where device.id = ${deviceId}`.execute(db)
  return rows[0]
}
