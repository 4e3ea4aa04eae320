import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { DeviceCommand } from '@grove/contract/maple/connect/device-command'
import type { QueryOf } from '@grove/contract/call'
import { deviceCommandSorting } from '@grove/contract/maple/connect/device-command.rules'
import { defineOwned } from '../../../../core/owned/define-owned.ts'
import type { MapleDb } from '../../base/tables.ts'

export type CommandFacts = Omit<DeviceCommand, 'rights'>

// One that is not marked yet has expired all the same.
const isOver = sql`command.state in ('queued', 'sent') and command.expires_at <= now()`
const state = sql`case when ${isOver} then 'expired' else command.state end`
const columns = sql<CommandFacts>`
  command.id, command.device_id as "deviceId", command.name, command.data, command.encoded,
  ${state} as state,
  command.result, command.error, command.attempts, command.created_by as "createdBy",
  command.created_at as "createdAt", command.expires_at as "expiresAt",
  command.sent_at as "sentAt",
  case when ${isOver} then command.expires_at else command.finished_at end as "finishedAt"`

export const { list: commandList, find: findCommand } = defineOwned<
  CommandFacts,
  QueryOf<Calls['GET /api/maple/device/command']>
>({
  table: 'maple.device_command',
  as: 'command',
  list: 'device_command',
  columns,
  sorting: deviceCommandSorting,
  filters: {
    deviceId: (id) => sql`command.device_id = ${id}`,
    state: (wanted) => sql`command.state = ${wanted}`,
  },
})

/** The newest commands of a device from the time when it belonged to a service provider. */
export async function commandsBetween(
  db: MapleDb,
  given: {
    deviceId: string
    serviceId: string | null
    since: string
    until: string | null
    limit: number
  },
): Promise<CommandFacts[]> {
  const { deviceId, serviceId, since, until, limit } = given
  const { rows } = await sql<CommandFacts>`
    select ${columns} from maple.device_command as command
    where command.device_id = ${deviceId} and command.service_id is not distinct from ${serviceId}
      and command.created_at >= ${since}::timestamptz
      and ${until === null ? sql`true` : sql`command.created_at < ${until}::timestamptz`}
    order by command.created_at desc, command.id desc limit ${limit}`.execute(db)
  return rows
}

export interface NewCommand {
  id: string
  deviceId: string
  serviceId: string | null
  name: string
  /** As JSON. */
  data: string
  /** What is sent instead; null for the command itself. */
  encoded: DeviceCommand['encoded']
  createdBy: string | null
  hours: number
}

/** False if another command has the id. */
export async function insertCommand(db: MapleDb, given: NewCommand): Promise<boolean> {
  const { rows } = await sql`
    insert into maple.device_command
      (id, device_id, service_id, name, data, encoded, created_by, expires_at)
    values (${given.id}, ${given.deviceId}, ${given.serviceId}, ${given.name},
      ${given.data}::json, ${given.encoded && JSON.stringify(given.encoded)}::json, ${given.createdBy}, now() + make_interval(secs => ${given.hours * 3600}))
    on conflict (id) do nothing returning 1`.execute(db)
  return rows.length > 0
}

/** Up to the limit. */
export async function countOpen(db: MapleDb, deviceId: string, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select 1 from maple.device_command
      where device_id = ${deviceId} and state in ('queued', 'sent') limit ${limit}
    ) as open`.execute(db)
  return rows[0]?.count ?? 0
}

/** False if it was sent or has ended. */
export async function cancelQueued(db: MapleDb, id: string): Promise<boolean> {
  const { rows } = await sql`
    update maple.device_command set state = 'cancelled', finished_at = now()
    where id = ${id} and state = 'queued' returning 1`.execute(db)
  return rows.length > 0
}

/** What a connection can receive. */
export interface Room {
  deviceId: string
  /** How many commands. */
  most: number
  /** The connection is new: what an earlier one sent without getting a result is resent. */
  isFirst: boolean
}

/** A command to send now. */
export interface Outgoing {
  deviceId: string
  id: string
  name: string
  data: unknown
  /** In milliseconds since 1970. */
  expiresAt: number
}

/** Marks commands as sent before their bytes go; each device gets its own in order. */
export async function takeCommands(db: MapleDb, rooms: readonly Room[]): Promise<Outgoing[]> {
  const { rows } = await sql<Outgoing & { place: number }>`
    with found as (
      select command.id
      from unnest(${rooms.map(({ deviceId }) => deviceId)}::text[],
        ${rooms.map(({ most }) => most)}::int[], ${rooms.map(({ isFirst }) => isFirst)}::bool[])
        as given (device_id, most, is_first)
      join maple.device as device on device.id = given.device_id
      cross join lateral (
        select id from maple.device_command as open
        where open.device_id = given.device_id and open.state in ('queued', 'sent')
          and (given.is_first or open.state = 'queued') and open.expires_at > now()
          and open.service_id is not distinct from device.service_id
        order by open.place limit given.most
      ) as command
    ), held as (
      select id from maple.device_command where id in (select id from found) order by id for update
    )
    update maple.device_command as command
    set state = 'sent', sent_at = coalesce(command.sent_at, now()), attempts = attempts + 1
    from held
    -- One that was cancelled meanwhile stays so.
    where command.id = held.id and command.state in ('queued', 'sent')
    returning command.device_id as "deviceId", command.id, command.name,
      coalesce(command.encoded, command.data) as data, command.place, extract(epoch from command.expires_at)::float8 * 1000 as "expiresAt"
  `.execute(db)
  return rows.toSorted((a, b) => a.place - b.place)
}

/** Devices with a command from the last minute that has not been sent yet. */
export async function devicesWithQueued(db: MapleDb, most: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select device_id as id from maple.device_command
    where state = 'queued' and created_at > now() - interval '1 minute'
    order by created_at desc limit ${most}`.execute(db)
  return [...new Set(rows.map(({ id }) => id))]
}

export interface GivenResult {
  deviceId: string
  id: string
  isOk: boolean
  /** As JSON; null without any. */
  data: string | null
  error: string | null
}

/**
 * Stores results. The first of each command counts; one that arrives after the command has expired is
 * stored beside that state.
 */
export async function storeResults(tx: MapleDb, results: readonly GivenResult[]): Promise<void> {
  const first = new Map<string, GivenResult>()
  for (const result of results) {
    const key = `${result.deviceId} ${result.id.toLowerCase()}`
    if (!first.has(key)) first.set(key, result)
  }
  const all = [...first.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  await sql`
    with given as (
      select * from unnest(${all.map(({ deviceId }) => deviceId)}::text[],
        ${all.map(({ id }) => id)}::uuid[], ${all.map(({ isOk }) => isOk)}::bool[],
        ${all.map(({ data }) => data)}::text[], ${all.map(({ error }) => error)}::text[])
        as given (device_id, id, is_ok, data, error)
    ), held as (
      select id from maple.device_command where id in (select id from given) order by id for update
    )
    update maple.device_command as command
    set result = coalesce(given.data, 'null')::json, error = given.error,
      state = case
        when command.state not in ('queued', 'sent') then command.state
        when command.expires_at <= now() then 'expired'
        when given.is_ok then 'succeeded' else 'failed' end,
      finished_at = coalesce(command.finished_at, least(now(), command.expires_at))
    from given join held on held.id = given.id
    where command.id = given.id and command.device_id = given.device_id
      and command.result is null`.execute(tx)
}

/** @returns how many commands expired, up to the limit. */
export async function expireCommands(db: MapleDb, most: number): Promise<number> {
  const { rows } = await sql`
    update maple.device_command set state = 'expired', finished_at = expires_at
    where id in (
      select id from maple.device_command
      where state in ('queued', 'sent') and expires_at <= now()
      order by id limit ${most} for update skip locked
    ) returning 1`.execute(db)
  return rows.length
}

/** @returns how many were deleted, up to the limit. */
export async function deleteOldCommands(
  db: MapleDb,
  { days, most }: { days: number; most: number },
): Promise<number> {
  const { rows } = await sql`
    delete from maple.device_command where id in (
      select id from maple.device_command
      where created_at < now() - make_interval(days => ${days}::int) and finished_at is not null
      limit ${most}
    ) returning 1`.execute(db)
  return rows.length
}
