import { sql } from 'kysely'
import type {
  DeviceConnection,
  DeviceMessage,
} from '@grove/contract/maple/connect/device-connection'
import { sentKinds } from '@grove/contract/maple/connect/device-session.rules'
import { decodingOf } from '../../program/device-handler/decoding.queries.ts'
import type { MapleDb } from '../../base/tables.ts'
import type { RecentConnection } from './rivals.rules.ts'

/** A gateway without a heartbeat for this long is dead, and its devices' state is unknown. */
export const gatewayGoneAfter = sql.lit('45 seconds')

export const isFreshGateway = sql`gateway.seen_at > now() - ${gatewayGoneAfter}::interval`

type Presence = Omit<DeviceConnection, 'messages' | 'rivals'>

const never: Presence = {
  state: 'never',
  connectedAt: null,
  seenAt: null,
  agent: null,
  firmware: null,
  protocol: null,
  ip: null,
  lost: 0,
  refused: null,
  offered: null,
}

export async function findPresence(db: MapleDb, deviceId: string): Promise<Presence> {
  const { rows } = await sql<Presence>`
    select place.state,
      presence.connected_at as "connectedAt", presence.seen_at as "seenAt",
      presence.agent, presence.firmware, presence.protocol, presence.ip,
      coalesce((select lost from maple.device_stream as stream
        where stream.device_id = presence.device_id
        order by started_at desc limit 1), 0)::float8 as lost,
      (select json_build_object('at', to_char(refused_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'error', refusal)
        from maple.device_stream as stream
        where stream.device_id = presence.device_id and refused_at is not null
        order by refused_at desc limit 1) as refused,
      case when place.state = 'connected' and exists (select from maple.device as device
        where device.id = presence.device_id and device.state = 'online')
        then coalesce((select elements from maple.device_offer as offer
          where offer.device_id = presence.device_id), '{}')
      end as offered
    from maple.device_presence as presence cross join lateral (select case
        when presence.gateway_id is null then 'away'
        when exists (select from maple.gateway as gateway
          where gateway.id = presence.gateway_id and ${isFreshGateway}) then 'connected'
        else 'unknown'
      end as state) as place
    where device_id = ${deviceId}`.execute(db)
  return rows[0] ?? never
}

const rivalMinutes = sql.lit('15 minutes')
const mostRecent = 60

/** The connections of the last minutes, oldest first. */
export async function recentConnections(
  db: MapleDb,
  deviceId: string,
): Promise<RecentConnection[]> {
  const { rows } = await sql<RecentConnection>`
    select boot, ip, coalesce(end_reason = 'replaced', false) as "isReplaced"
    from maple.device_session
    where device_id = ${deviceId} and opened_at > now() - ${rivalMinutes}::interval
    order by opened_at desc, id desc limit ${sql.lit(mostRecent)}`.execute(db)
  return rows.toReversed()
}

/** Its last messages, newest first. */
export async function newestMessages(
  db: MapleDb,
  deviceId: string,
  limit: number,
): Promise<DeviceMessage[]> {
  const { rows } = await sql<DeviceMessage>`
    select id, kind, boot, seq, sent_at as "sentAt", is_clock_off as "isClockOff", received_at as "receivedAt", data,
      ${decodingOf} as decoding
    from maple.device_message where device_id = ${deviceId} and kind <> all(${[...sentKinds]}::text[])
    order by id desc limit ${limit}`.execute(db)
  return rows
}
