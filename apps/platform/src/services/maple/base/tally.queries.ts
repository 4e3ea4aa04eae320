import { sql, type RawBuilder } from 'kysely'
import { deviceSeen, type DeviceSeen } from '@grove/contract/maple/fleet/device.rules'
import { serviceOf, type Scope } from '../../../core/scope.ts'
import type { MapleDb } from './tables.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Devices never seen have the year 1. */
const firstSeen = '0002-01-01T00:00:00.000Z'
const end = '9999-12-31T00:00:00.000Z'

/** A moment at the start of its minute or hour. */
const startOf = (time: number, unit: number) => new Date(time - (time % unit)).toISOString()

export interface Moments {
  /** ISO 8601; the first is in, the second is not. */
  from: string
  before: string
}

/**
 * The time ranges behind "when was it last seen". Bounds are whole minutes and hours, so that sums of
 * the tally are exact.
 */
export function seenMoments(now: number): Record<DeviceSeen, Moments> {
  const starts = {
    hour: startOf(now - hour, minute),
    day: startOf(now - day, minute),
    week: startOf(now - 7 * day, hour),
    month: startOf(now - 30 * day, hour),
  }
  return {
    hour: { from: starts.hour, before: end },
    day: { from: starts.day, before: starts.hour },
    week: { from: starts.week, before: starts.day },
    month: { from: starts.month, before: starts.week },
    older: { from: firstSeen, before: starts.month },
    never: { from: '0001-01-01T00:00:00.000Z', before: firstSeen },
  }
}

/**
 * A moment as a key of `device seen`: its minute, hour or day, the shortest that is the same moment,
 * so that the key of the whole hour or day is not before it.
 */
const keyOf = (moment: string) => moment.slice(0, 16).replace(/:00$/, '').replace(/T00$/, '')

/** The number of rows of a subject, over all service providers, whose keys meet the condition. */
export async function tallyOf(
  db: MapleDb,
  subject: string,
  condition: RawBuilder<unknown>,
  scope: Scope,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(count), 0)::bigint as count from maple.tally
    where scope = ${serviceOf(scope) ?? ''} and subject = ${subject} and ${condition}
  `.execute(db)
  return rows[0]?.count ?? 0
}

export const isSeenIn = ({ from, before }: Moments) =>
  sql`key >= ${keyOf(from)} and key < ${keyOf(before)}`

interface Tally {
  subject: string
  key: string
  count: number
}

/**
 * All counts, of one service provider or of all: devices seen by age, and those created per day since
 * the given day.
 */
export async function tallies(
  db: MapleDb,
  now: number,
  { since, scope }: { since: string; scope: Scope },
): Promise<Tally[]> {
  const moments = seenMoments(now)
  const answers = deviceSeen.map(
    (seen) => sql`when ${isSeenIn(moments[seen])} then ${sql.lit(seen)}`,
  )
  const { rows } = await sql<Tally>`
    select subject, key, sum(count)::bigint as count
    from (
      select subject, count,
        case when subject = 'device seen' then case ${sql.join(answers, sql` `)} end
          else key end as key
      from maple.tally
      where scope = ${serviceOf(scope) ?? ''} and (subject <> 'device created' or key >= ${since})
    ) as counted
    group by subject, key having sum(count) <> 0
  `.execute(db)
  return rows
}

/** Minutes are kept as long as a range can begin with one, and so are hours. */
const minutesMs = 2 * day
const hoursMs = 40 * day

/**
 * Merges the rows of each key into their sum, and old minutes and hours in which devices were seen
 * into hours and days. Rows added concurrently stay for the next run.
 */
export const foldTally = (db: MapleDb, now: number): Promise<void> =>
  db.transaction().execute(async (tx) => {
    // After a large import there are a million rows.
    await sql`set local statement_timeout = 0`.execute(tx)
    await sql`
    with row as materialized (
      select ctid as place, scope, subject, key,
        case when subject <> 'device seen' then key
          when key < ${keyOf(startOf(now - hoursMs, day))} then left(key, 10)
          when key < ${keyOf(startOf(now - minutesMs, hour))} then left(key, 13)
          else key end as folded
      from maple.tally
    ),
    gone as (
      delete from maple.tally as tally using row
      where tally.ctid = row.place and (row.scope, row.subject, row.folded) in (
        select scope, subject, folded from row group by scope, subject, folded
        having count(*) > 1 or min(key) <> folded
      )
      returning tally.scope, tally.subject, row.folded, tally.count
    )
    insert into maple.tally (scope, subject, key, count)
    select scope, subject, folded, sum(count) from gone
    group by scope, subject, folded having sum(count) <> 0
  `.execute(tx)
  })
