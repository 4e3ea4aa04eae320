import { sql, type RawBuilder } from 'kysely'
import { inScope, type Scope } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'
import { isOfFilter, type DeviceFilter } from './device-filter.ts'
import { isFound, type Search } from './device-search.ts'
import { deviceColumns, type DeviceFacts } from './device.queries.ts'

/** The devices of a bulk change or an export. */
export interface Choice {
  filter: DeviceFilter
  search: Search | undefined
  /** The only service provider whose devices it has; null for those of all. */
  scope: Scope
}

/** Every device of a filter: unlike the list, however many there are. */
export const everyDeviceOf = ({ filter, search, scope }: Choice): RawBuilder<unknown> => sql`
  from maple.device as device
  where ${inScope(scope, 'device.service_id')} and ${isOfFilter(filter)}
    and ${search ? isFound(search) : sql`true`}`

/** The next devices by id: all pages together cover each device once. */
export async function readEveryDevice(
  db: MapleDb,
  choice: Choice,
  { after, limit }: { after: string; limit: number },
): Promise<DeviceFacts[]> {
  const { rows } = await sql<DeviceFacts>`
    with page as materialized (
      select device.id ${everyDeviceOf(choice)} and device.id > ${after}
      order by device.id limit ${sql.lit(limit)}
    )
    select ${deviceColumns} from page join maple.device as device on device.id = page.id
    order by device.id
  `.execute(db)
  return rows
}
