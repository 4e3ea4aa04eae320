import { sql } from 'kysely'
import type { DeviceState } from '@grove/contract/maple/fleet/device.rules'
import { serviceOf, type Scope } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'

export interface DayCount {
  /** In UTC, such as `2026-11-22`. */
  day: string
  state: DeviceState
  count: number
}

// A key of the tally consists of the type and the state.
const stateOf = sql`split_part(key, ' ', 2)::maple.device_state`

/** The current number of devices in each state, without counting them. */
export async function countStates(db: MapleDb, scope: Scope) {
  const { rows } = await sql<Omit<DayCount, 'day'>>`
    select ${stateOf} as state, sum(count)::bigint as count from maple.tally
    where scope = ${serviceOf(scope) ?? ''} and subject = 'device'
    group by 1`.execute(db)
  return rows
}

/** Replaces the counts of the day, for everyone and for each service provider. */
export async function writeDay(db: MapleDb, day: string): Promise<void> {
  await sql`delete from maple.device_day where day = ${day}`.execute(db)
  await sql`
    insert into maple.device_day (service_id, day, state, count)
    select nullif(scope, ''), ${day}::date, ${stateOf}, sum(count) from maple.tally
    where subject = 'device'
    group by scope, 3 having sum(count) <> 0`.execute(db)
}

export const deleteDaysBefore = (db: MapleDb, day: string) =>
  sql`delete from maple.device_day where day < ${day}`.execute(db)

/** The counts since a day; none for a state that no device had. */
export async function readDays(db: MapleDb, since: string, scope: Scope): Promise<DayCount[]> {
  const { rows } = await sql<DayCount>`
    select day::text as day, state, count from maple.device_day
    where coalesce(service_id, '') = ${serviceOf(scope) ?? ''} and day >= ${since}
    order by day`.execute(db)
  return rows
}
