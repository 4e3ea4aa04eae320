import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { DeviceMessage } from '@grove/contract/maple/connect/device-connection'
import type { DeviceSession } from '@grove/contract/maple/connect/device-session'
import type { QueryOf } from '@grove/contract/call'
import {
  deviceMessageSorting,
  deviceSessionSorting,
  messageSearchLimit,
  type DeviceSessionEnd,
  type DeviceSessionState,
  type SentKind,
} from '@grove/contract/maple/connect/device-session.rules'
import { defineList, type ListPage } from '../../../../core/database/define-list.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import { decodingOf } from '../../program/device-handler/decoding.queries.ts'
import type { MapleDb } from '../../base/tables.ts'

/** A session with the range of its messages: exclusive start, inclusive end. */
export type DeviceSessionFacts = DeviceSession & {
  firstMessage: number
  lastMessage: number | null
}

const isActive = sql`session.state = 'active' and presence.connection_id = session.id`
const columns = sql<DeviceSessionFacts>`
  session.id, session.device_id as "deviceId",
  case when device.service_id is not distinct from session.service_id then device.name
    else device.id end as "deviceName",
  session.service_id as "serviceId", session.state, session.end_reason as "endReason",
  session.protocol, session.ip, session.boot, session.agent, session.firmware,
  session.opened_at as "openedAt", session.ended_at as "endedAt",
  case when ${isActive} then presence.seen_at end as "seenAt",
  case when ${isActive} then presence.messages else session.messages end::float8 as messages,
  session.first_message::float8 as "firstMessage", session.last_message::float8 as "lastMessage"`
const from = sql`
  maple.device_session as session
  join maple.device as device on device.id = session.device_id
  left join maple.device_presence as presence on presence.device_id = session.device_id`

export const deviceSessionList = defineList({
  name: 'device_session',
  sorts: { openedAt: ['opened_at', 'timestamp'] },
  sorting: deviceSessionSorting,
  tiebreak: ['id', 'uuid'],
  filters: {
    state: (state) => sql`session.state = ${state}`,
    device: (device) => sql`session.device_id = ${device}`,
    from: (moment) => sql`session.opened_at >= ${moment}::timestamptz`,
    to: (moment) => sql`session.opened_at < ${moment}::timestamptz`,
  },
  keys: ({ openedAt, id }) => [openedAt, id],
  // The page first: joined data is looked up only for its rows.
  rows: (
    db: MapleDb,
    {
      where,
      orderBy,
      limit,
    }: ListPage<QueryOf<Calls['GET /api/maple/sessions/device']>, 'openedAt'>,
    scope: Scope,
  ) =>
    sql<DeviceSessionFacts>`
      with page as materialized (
        select * from maple.device_session as session where ${inScope(scope, 'session.service_id')} and ${where('session')}
        order by ${orderBy('session')} limit ${sql.lit(limit)}
      )
      select ${columns} from page as session
      join maple.device as device on device.id = session.device_id
      left join maple.device_presence as presence on presence.device_id = session.device_id
      order by ${orderBy('session')}`.execute(db),
})

export async function findDeviceSession(
  db: MapleDb,
  id: string,
  scope: Scope,
): Promise<DeviceSessionFacts | undefined> {
  const { rows } = await sql<DeviceSessionFacts>`
    select ${columns} from ${from} where session.id = ${id} and ${inScope(scope, 'session.service_id')}`.execute(
    db,
  )
  return rows[0]
}

const messageColumns = sql<DeviceMessage>`
  id::float8 as id, kind, boot, seq::float8 as seq, sent_at as "sentAt",
  is_clock_off as "isClockOff",
  received_at as "receivedAt", data, ${decodingOf} as decoding`

type Messages = Pick<DeviceSessionFacts, 'deviceId' | 'firstMessage' | 'lastMessage'>

const ofSession = ({ deviceId, firstMessage, lastMessage }: Messages) => sql`
  device_id = ${deviceId} and id > ${firstMessage}::bigint
  and ${lastMessage === null ? sql`true` : sql`id <= ${lastMessage}::bigint`}`

/** A page is a range of the index by device. A filter reads a limited number of messages per page. */
export const messageList = defineList({
  name: 'device_message',
  sorts: { id: ['id', 'integer'] },
  sorting: deviceMessageSorting,
  tiebreak: ['id', 'integer'],
  keys: ({ id }) => [String(id), String(id)],
  rows: async (
    db: MapleDb,
    {
      query,
      direction,
      limit,
      after,
    }: ListPage<QueryOf<Calls['GET /api/maple/sessions/device/{id}/message']>, 'id'>,
    session: Messages,
  ) => {
    const than = sql.raw(direction === 'asc' ? '>' : '<')
    const { before, kind } = query
    const order = sql`order by id ${sql.raw(direction)}`
    const range = sql`
      select * from maple.device_message
      where ${ofSession(session)} and ${before === undefined ? sql`true` : sql`id < ${before}::bigint`}
        and ${after ? sql`id ${than} ${Number(after.value)}::bigint` : sql`true`} ${order}`
    if (kind === undefined)
      return sql<DeviceMessage>`
        select ${messageColumns} from (${range} limit ${sql.lit(limit)}) as near ${order}
      `.execute(db)
    const { rows } = await sql<DeviceMessage & { isMatch: boolean; looked: number }>`
      with looked as (
        select *, kind = ${kind} as is_match, row_number() over (${order}) as place
        from (${range} limit ${sql.lit(messageSearchLimit)}) as near
      )
      select ${messageColumns}, is_match as "isMatch", place as looked from looked
      where is_match or place = ${sql.lit(messageSearchLimit)} ${order}
      limit ${sql.lit(limit + 1)}`.execute(db)
    const matches = rows.filter(({ isMatch }) => isMatch).slice(0, limit)
    const stoppedAt =
      matches.length < limit ? rows.find(({ looked }) => looked === messageSearchLimit) : undefined
    return { rows: matches, ...(stoppedAt && { stoppedAt }) }
  },
})

/** The messages after a given one, in order. */
export async function messagesAfter(
  db: MapleDb,
  session: Messages,
  { after, limit }: { after: number; limit: number },
): Promise<DeviceMessage[]> {
  const { rows } = await sql<DeviceMessage>`
    select ${messageColumns} from maple.device_message
    where ${ofSession(session)} and id > ${after}::bigint order by id limit ${limit}`.execute(db)
  return rows
}

/** A message to a device, as its log shows it. */
export interface Sent {
  deviceId: string
  kind: SentKind
  data: unknown
}

/** Adds outgoing messages to those of devices: without a boot, which is how devices number theirs. */
export async function insertSent(tx: MapleDb, all: readonly Sent[]): Promise<void> {
  if (all.length === 0) return
  await sql`
    insert into maple.device_message (device_id, kind, boot, seq, data)
    select device_id, kind, '', 0, data::json
    from unnest(${all.map(({ deviceId }) => deviceId)}::text[],
      ${all.map(({ kind }) => kind)}::text[],
      ${all.map(({ data }) => JSON.stringify(data))}::text[])
      with ordinality as given (device_id, kind, data, place) order by place`.execute(tx)
}

/** A device that connects. */
export interface Opening {
  connectionId: string
  deviceId: string
  serviceId: string | null
  protocol: string
  ip: string
  boot: string
  agent: string | null
  firmware: string | null
}

/** The number of the last message of all devices, without reading their partitions. */
const lastMessage = sql`(
  select last_value - (not is_called)::int from maple.device_message_id_seq)`

/** In the transaction that marks the devices as connected. An earlier connection ends with that. */
export async function openDeviceSessions(
  tx: MapleDb,
  gatewayId: string,
  all: readonly Opening[],
): Promise<void> {
  const column = <Value>(of: (each: Opening) => Value) => all.map((each) => of(each))
  const ids = column(({ deviceId }) => deviceId)
  // Read once for both, so that no message falls between two sessions.
  const { rows } = await sql<{ last: number }>`select ${lastMessage} as last`.execute(tx)
  const last = rows[0]?.last ?? 0
  await sql`
    update maple.device_session as session
    set state = 'closed', end_reason = 'replaced', ended_at = now(),
      last_message = ${last}
    where device_id = any(${ids}::text[]) and state = 'active'`.execute(tx)
  await sql`
    insert into maple.device_session (id, device_id, service_id, gateway_id, protocol, ip, boot,
      agent, firmware, first_message)
    select given.id, given.device_id, device.service_id, ${gatewayId}::uuid, given.protocol,
      given.ip, given.boot, given.agent, given.firmware, ${last}::bigint
    from unnest(${column(({ connectionId }) => connectionId)}::uuid[], ${ids}::text[],
      ${column(({ protocol }) => protocol)}::text[], ${column(({ ip }) => ip)}::text[],
      ${column(({ boot }) => boot)}::text[], ${column(({ agent }) => agent)}::text[],
      ${column(({ firmware }) => firmware)}::text[])
      as given (id, device_id, protocol, ip, boot, agent, firmware)
    join maple.device as device on device.id = given.device_id`.execute(tx)
}

/** A connection that ended. */
export interface Ended {
  connectionId: string
  /** In milliseconds since 1970. */
  endedAt: number
  messages: number
  reason: DeviceSessionEnd
}

const stateAfter: Record<DeviceSessionEnd, Exclude<DeviceSessionState, 'active'>> = {
  left: 'closed',
  replaced: 'closed',
  changed: 'closed',
  unavailable: 'closed',
  protocol: 'failed',
  slow: 'failed',
  silent: 'expired',
  lost: 'expired',
}

/** An ended session keeps its reason. */
export async function endDeviceSessions(db: MapleDb, given: readonly Ended[]): Promise<void> {
  const all = given.toSorted((a, b) => (a.connectionId < b.connectionId ? -1 : 1))
  await sql`
    update maple.device_session as session
    set state = case when session.state = 'active' then given.state else session.state end,
      end_reason = coalesce(session.end_reason, given.reason),
      ended_at = coalesce(session.ended_at,
        greatest(session.opened_at, to_timestamp(given.ended_at))),
      messages = greatest(session.messages, given.messages),
      last_message = coalesce(session.last_message, ${lastMessage})
    from unnest(${all.map(({ connectionId }) => connectionId)}::uuid[],
      ${all.map(({ endedAt }) => endedAt / 1000)}::float8[],
      ${all.map(({ messages }) => messages)}::bigint[],
      ${all.map(({ reason }) => reason)}::text[],
      ${all.map(({ reason }) => stateAfter[reason])}::text[])
      as given (id, ended_at, messages, reason, state)
    where session.id = given.id`.execute(db)
}

/** @returns how many were deleted, up to the limit. */
export async function deleteOldSessions(
  db: MapleDb,
  { days, most }: { days: number; most: number },
): Promise<number> {
  const { rows } = await sql`
    delete from maple.device_session where id = any(array(
      select id from maple.device_session
      where opened_at < now() - make_interval(days => ${days}::int) and state <> 'active'
      order by opened_at limit ${most}))
    returning 1`.execute(db)
  return rows.length
}
