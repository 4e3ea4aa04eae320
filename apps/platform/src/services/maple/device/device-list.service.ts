import type { Calls, QueryOf, ResponseOf } from '@grove/contract'
import type { AnyActor } from '../../../core/actor.ts'
import type { MapleContext } from '../context.ts'
import { deviceList } from './device-list.queries.ts'
import { withRights } from './device.service.ts'

/** @throws BadCursorError for a cursor that is not of this sort and order. */
export async function listDevices(
  { db }: Pick<MapleContext, 'db'>,
  actor: AnyActor,
  query: QueryOf<Calls['GET /api/maple/device']>,
): Promise<ResponseOf<Calls['GET /api/maple/device']>> {
  const page = await deviceList.read(db, query)
  return { ...page, items: page.items.map(({ key: _key, ...device }) => withRights(actor, device)) }
}
