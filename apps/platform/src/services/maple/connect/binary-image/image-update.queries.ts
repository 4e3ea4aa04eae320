import { sql } from 'kysely'
import type { DeviceCommandState } from '@grove/contract/maple/connect/device-command.rules'
import { inScope, type Scope } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'
import type { ImageReader } from './binary-image.queries.ts'

export interface UpdatableDevice extends ImageReader {
  /** It is connected, and people accepted it. */
  isOnline: boolean
  /** The version that it last reported. */
  firmware: string | null
}

export async function findUpdatable(
  db: MapleDb,
  deviceId: string,
): Promise<UpdatableDevice | undefined> {
  const { rows } = await sql<UpdatableDevice>`
    select device.id as "deviceId", device.service_id as "serviceId",
      device.product_id as "productId", coalesce(product.state, 'production') as product,
      device.state = 'online' as "isOnline", presence.firmware
    from maple.device as device
    left join maple.product as product on product.id = device.product_id
    left join maple.device_presence as presence on presence.device_id = device.id
    where device.id = ${deviceId}`.execute(db)
  return rows[0]
}

/** How far the update of a device is. */
export interface UpdateFacts {
  deviceId: string
  isOwn: boolean
  command: {
    state: DeviceCommandState
    error: string | null
    /** The report of the newest connection after the result, if any. */
    after: Hello | null
  }
  /** The report of the newest connection since the command. */
  since: Hello | null
}

interface Hello {
  firmware: string | null
  /** The device started again since its connection before. */
  isNewBoot: boolean
  /** How long ago, in milliseconds. */
  ms: number
}

/** Unordered; without devices whose command is missing. */
export async function readUpdates(
  db: MapleDb,
  scope: Scope,
  started: readonly { deviceId: string; commandId: string }[],
): Promise<UpdateFacts[]> {
  const hello = (since: ReturnType<typeof sql>) => sql`(
    select json_build_object('firmware', latest.firmware,
      'ms', extract(epoch from now() - latest.opened_at)::float8 * 1000,
      'isNewBoot', latest.boot is distinct from (
        select boot from maple.device_session as earlier
        where earlier.device_id = latest.device_id and earlier.opened_at < latest.opened_at
        order by earlier.opened_at desc, earlier.id desc limit 1))
    from (
      select device_id, firmware, boot, opened_at from maple.device_session as session
      where session.device_id = command.device_id and session.opened_at > ${since}
      order by opened_at desc, id desc limit 1
    ) as latest)`
  const { rows } = await sql<UpdateFacts>`
    select command.device_id as "deviceId",
      coalesce(${inScope(scope, 'device.service_id')}, false) as "isOwn",
      json_build_object('error', command.error,
        'state', case when command.state in ('queued', 'sent') and command.expires_at <= now()
          then 'expired' else command.state end,
        'after', case when command.state = 'succeeded'
          then ${hello(sql`command.finished_at`)} end) as command,
      ${hello(sql`command.created_at`)} as since
    from unnest(${started.map(({ deviceId }) => deviceId)}::text[],
      ${started.map(({ commandId }) => commandId)}::uuid[]) as given (device_id, command_id)
    join maple.device_command as command on command.id = given.command_id
      and command.device_id = given.device_id
    left join maple.device as device on device.id = command.device_id`.execute(db)
  return rows
}
