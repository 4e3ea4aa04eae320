import { sql, type RawBuilder } from 'kysely'
import { zoneAttribute, type RetriedState } from '@grove/contract/maple/rollout/rollout.rules'
import { inScope, type Scope } from '../../../core/scope.ts'
import { everyDeviceOf, type Choice } from '../fleet/device/every-device.queries.ts'
import type { MapleDb } from '../base/tables.ts'
import type { RolloutRow } from './rollout.queries.ts'

/** A stable pseudo-random order: neither the oldest devices nor those of one location come first. */
const placeOf = (rolloutId: string) =>
  sql`('x' || substr(md5(${rolloutId} || ' ' || found.id), 1, 16))::bit(64)::bigint`

const zone = sql`coalesce(device.attributes -> ${sql.lit(zoneAttribute)} ->> 'value', '')`

/** The source of a rollout's devices. */
export type Source =
  | { choice: Choice }
  | { devices: readonly string[]; scope: Scope }
  /** Those where another rollout succeeded. */
  | { succeededIn: string; scope: Scope }
  /** Those where another rollout failed, and that no other retry has reached or will reach. */
  | {
      failedIn: string
      states: readonly RetriedState[]
      cause: string | null
      others: readonly string[]
      scope: Scope
    }

/** Retired and quarantined devices get no program. */
const isServed = sql`device.state not in ('retired', 'quarantined')`

function devicesOf(source: Source, after: string, limit: number): RawBuilder<unknown> {
  const next = sql`and device.id > ${after} order by device.id limit ${sql.lit(limit)}`
  // The same for the planner, except that it also starts from the other rollout's rows.
  const nextOfOrigin = sql`and origin.device_id > ${after} ${next}`
  if ('choice' in source)
    return sql`select device.id, ${zone} as zone ${everyDeviceOf(source.choice)} and ${isServed} ${next}`
  if ('devices' in source)
    return sql`
      select device.id, ${zone} as zone from maple.device as device
      where device.id = any(${source.devices}::text[]) and ${inScope(source.scope, 'device.service_id')}
        and ${isServed} ${next}`
  if ('failedIn' in source) return failedDevices(source, nextOfOrigin, limit)
  return sql`
    select device.id, ${zone} as zone
    from maple.rollout_execution as origin
    join maple.device as device on device.id = origin.device_id
    where origin.rollout_id = ${source.succeededIn} and origin.state = 'succeeded'
      and ${inScope(source.scope, 'device.service_id')} and ${isServed} ${nextOfOrigin}`
}

/** Each state is one range of an index; together they are merged. */
function failedDevices(
  { failedIn, states, cause, others, scope }: Extract<Source, { failedIn: string }>,
  next: RawBuilder<unknown>,
  limit: number,
): RawBuilder<unknown> {
  const ranges = states.map(
    (state) => sql`(
      select device.id, ${zone} as zone
      from maple.rollout_execution as origin
      join maple.device as device on device.id = origin.device_id
      where origin.rollout_id = ${failedIn} and origin.state = ${state}
        and ${cause === null ? sql`true` : sql`origin.cause = ${cause}`}
        and not exists (
          select from maple.rollout_execution as other
          where other.rollout_id = any(${others}::uuid[]) and other.device_id = origin.device_id
            and other.state in ('queued', 'running', 'succeeded'))
        and ${inScope(scope, 'device.service_id')} and ${isServed} ${next})`,
  )
  return sql`
    select id, zone from (${sql.join(ranges, sql` union all `)}) as failed
    order by id limit ${sql.lit(limit)}`
}

export interface FoundDevice {
  id: string
  /** The device's reported time zone. */
  zone: string
}

/** The next devices of a source, in the order of their ids. */
export async function nextDevices(
  db: MapleDb,
  source: Source,
  { after, limit }: { after: string; limit: number },
): Promise<FoundDevice[]> {
  const { rows } = await sql<FoundDevice>`${devicesOf(source, after, limit)}`.execute(db)
  return rows
}

/**
 * Stores devices, each at most once; returns how many are new. Those of a retry keep the elements
 * where the program succeeded before.
 */
export async function addDevices(
  tx: MapleDb,
  { id: rolloutId, retries }: Pick<RolloutRow, 'id' | 'retries'>,
  devices: readonly FoundDevice[],
  group: number | null,
): Promise<number> {
  const { rows } = await sql`
    insert into maple.rollout_execution (rollout_id, device_id, group_number, place, zone, done)
    select ${rolloutId}, found.id, ${group}::integer, ${placeOf(rolloutId)}, found.zone,
      coalesce((select done from maple.rollout_execution as origin
        where origin.rollout_id = ${retries?.id ?? null} and origin.device_id = found.id), '{}')
    from unnest(${devices.map(({ id }) => id)}::text[], ${devices.map(({ zone: of }) => of)}::text[])
      as found (id, zone)
    on conflict (rollout_id, device_id) do nothing
    returning 1`.execute(tx)
  return rows.length
}

export async function countSource(db: MapleDb, choice: Choice): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count ${everyDeviceOf(choice)} and ${isServed}`.execute(db)
  return rows[0]?.count ?? 0
}

export interface Preparation {
  step: 'find' | 'group' | 'run'
  foundAfter: string
  found: number
  grouped: number
}

export async function readPreparation(tx: MapleDb, id: string): Promise<Preparation | undefined> {
  const { rows } = await sql<Preparation>`
    select step, found_after as "foundAfter", found, grouped
    from maple.rollout where id = ${id}`.execute(tx)
  return rows[0]
}

export async function setPreparation(tx: MapleDb, id: string, next: Preparation): Promise<void> {
  await sql`
    update maple.rollout set step = ${next.step}, found_after = ${next.foundAfter},
      found = ${next.found}, grouped = ${next.grouped}
    where id = ${id}`.execute(tx)
}

export async function addZones(tx: MapleDb, id: string, zones: readonly string[]): Promise<void> {
  await sql`
    update maple.rollout set zones = array(
      select distinct zone from unnest(zones || ${zones}::text[]) as known (zone) order by zone)
    where id = ${id} and not zones @> ${zones}::text[]`.execute(tx)
}

/** Adds devices to the counters of a group. */
export async function addToGroup(
  tx: MapleDb,
  id: string,
  number: number,
  count: number,
): Promise<void> {
  await sql`
    update maple.rollout_group set total = total + ${count}, queued = queued + ${count}
    where rollout_id = ${id} and number = ${number}`.execute(tx)
}

/**
 * Assigns the next unassigned devices to a group, by position; returns the number. By physical
 * position: to the planner a rollout that has just started has no rows, so a join would read all of
 * them for each.
 */
export async function groupBatch(
  tx: MapleDb,
  id: string,
  number: number,
  limit: number,
): Promise<number> {
  const { rows } = await sql`
    update maple.rollout_execution set group_number = ${number}
    where ctid = any(array(
      select ctid from maple.rollout_execution
      where rollout_id = ${id} and group_number is null
      order by place limit ${limit} for update))
    returning 1`.execute(tx)
  return rows.length
}

/** The devices of software cards. */
export async function devicesOfElements(
  db: MapleDb,
  cplcs: readonly string[],
  scope: Scope,
): Promise<{ cplc: string; deviceId: string; isCard: boolean }[]> {
  const { rows } = await sql<{ cplc: string; deviceId: string; isCard: boolean }>`
    select element.cplc, element.device_id as "deviceId",
      exists (select from maple.software_card as card where card.cplc = element.cplc) as "isCard"
    from maple.element as element
    where element.cplc = any(${cplcs}::text[]) and element.device_id is not null
      and ${inScope(scope, 'element.service_id')}`.execute(db)
  return rows
}

export async function setJoined(tx: MapleDb, id: string, at: number): Promise<void> {
  await sql`
    update maple.rollout set joined_at = ${new Date(at).toISOString()} where id = ${id}`.execute(tx)
}

export async function readJoined(db: MapleDb, id: string): Promise<string | null> {
  const { rows } = await sql<{ at: string | null }>`
    select joined_at as at from maple.rollout where id = ${id}`.execute(db)
  return rows[0]?.at ?? null
}
