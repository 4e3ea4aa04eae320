import { sql, type RawBuilder } from 'kysely'
import { inScope, type Scope } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'
import { isOfFilter, type DeviceFilter } from './device-filter.ts'
import { isFound, type Search } from './device-search.ts'
import { deviceColumns, type DeviceFacts } from './device.queries.ts'

/** What a change or a file of a whole filter is about. */
export interface Choice {
  filter: DeviceFilter
  search: Search | undefined
  /** The service provider whose devices alone it has; null for those of all. */
  scope: Scope
}

/** Every device of a filter: unlike the list, however many there are. */
export const everyDeviceOf = ({ filter, search, scope }: Choice): RawBuilder<unknown> => sql`
  from maple.device as device
  where ${inScope(scope, 'device.service_id')} and ${isOfFilter(filter)}
    and ${search ? isFound(search) : sql`true`}`

/** The next of them in the order of ids: all pages together look at every device once. */
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
