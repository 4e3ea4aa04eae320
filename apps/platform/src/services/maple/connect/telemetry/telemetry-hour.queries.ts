import { sql, type RawBuilder } from 'kysely'
import type { MapleDb } from '../../base/tables.ts'
import { readColumns, type ChartColumn, type Range } from './telemetry.queries.ts'

/** After an hour, its points may still be on their way for this long; later ones are late. */
const graceMinutes = 10
/** Longer than any transaction that still accepts points as timely. */
const waitMinutes = graceMinutes + 2
const hourMs = 3_600_000

/** The beginning of the hour of a moment, in every time zone. */
export const hourOf = (moment: RawBuilder<unknown>) =>
  sql`date_bin('1 hour', ${moment}, '2000-01-01 00:00:00Z'::timestamptz)`

/** Written along with points: hours that are already over. */
export const isLate = (moment: RawBuilder<unknown>) => sql`
  ${hourOf(moment)} <= now() - interval '1 hour' - make_interval(mins => ${sql.lit(graceMinutes)})`

interface Span {
  from: string
  to: string
}

/** By literal times, so that the statement is planned for these days' partitions. */
const within = ({ from, to }: Span) =>
  sql`point.ts >= ${from}::timestamptz and point.ts < ${to}::timestamptz`

/**
 * Hourly rows of points: one per device, key and hour; existing ones are updated. The time range
 * keeps single lookups out of other days' partitions, which would cost a hundred times as much.
 */
const insertHours = (tx: MapleDb, points: RawBuilder<unknown>, span: Span) => {
  const valueAt = (moment: string) => sql`(
    select value from maple.telemetry as point where point.device_id = found.device_id
      and point.key = found.key and point.ts = ${sql.ref(`found.${moment}`)} and ${within(span)})`
  return sql`
    insert into maple.telemetry_hour
      (device_id, key, hour, min, max, first, last, last_at, count, clamped)
    select device_id, key, hour, min, max, ${valueAt('first_at')}, ${valueAt('last_at')}, last_at,
      count, clamped
    from (
      select device_id, key, ${hourOf(sql`ts`)} as hour, min(value) as min, max(value) as max,
        min(ts) as first_at, max(ts) as last_at, count(*) as count, count(sent_at) as clamped
      from (${points}) as point group by 1, 2, 3
    ) as found
    on conflict (device_id, key, hour) do update set min = excluded.min, max = excluded.max,
      first = excluded.first, last = excluded.last, last_at = excluded.last_at,
      count = excluded.count, clamped = excluded.clamped`.execute(tx)
}

/** Locks the only row, so that two processes do not create the same hours. Returns the next hour. */
async function lockRolled(tx: MapleDb): Promise<(Span & { isDue: boolean }) | undefined> {
  const { rows } = await sql<Span & { isDue: boolean }>`
    select until as "from", until + interval '1 hour' as "to",
      until + interval '1 hour' <= now() - make_interval(mins => ${sql.lit(waitMinutes)}) as "isDue"
    from maple.telemetry_rolled for update`.execute(tx)
  return rows[0]
}

/** Creates the rows of the next completed hour. @returns Whether there was one. */
export const rollNextHour = (db: MapleDb): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    const hour = await lockRolled(tx)
    if (!hour?.isDue) return false
    await insertHours(tx, sql`select * from maple.telemetry as point where ${within(hour)}`, hour)
    await sql`update maple.telemetry_rolled set until = ${hour.to}::timestamptz`.execute(tx)
    return true
  })

/**
 * Recreates hours that got points after they were over. @returns how many notes of them were read.
 */
export const rollLateHours = (db: MapleDb, most: number): Promise<number> =>
  db.transaction().execute(async (tx) => {
    const next = await lockRolled(tx)
    if (!next) return 0
    const { rows } = await sql<{ deviceId: string; hour: string }>`
      delete from maple.telemetry_late where id in (
        select id from maple.telemetry_late order by id limit ${most})
      returning device_id as "deviceId", hour`.execute(tx)
    const hours = new Map(rows.map((row) => [`${row.hour} ${row.deviceId}`, row]))
    const all = [...hours.values()].filter(({ hour }) => Date.parse(hour) < Date.parse(next.from))
    if (all.length === 0) return rows.length
    const times = all.map(({ hour }) => Date.parse(hour))
    const span = {
      from: new Date(Math.min(...times)).toISOString(),
      to: new Date(Math.max(...times) + hourMs).toISOString(),
    }
    // A separate statement: it sees every point whose note is deleted.
    await insertHours(
      tx,
      sql`select point.* from unnest(${all.map(({ deviceId }) => deviceId)}::text[],
          ${all.map(({ hour }) => hour)}::timestamptz[]) as given (device_id, hour)
        join maple.telemetry as point on point.device_id = given.device_id
          and point.ts >= given.hour and point.ts < given.hour + interval '1 hour'
          and ${within(span)}`,
      span,
    )
    return rows.length
  })

/** @returns how many were deleted, up to the limit. */
export async function deleteOldHours(
  db: MapleDb,
  { days, most }: { days: number; most: number },
): Promise<number> {
  const { rows } = await sql`
    with old as (
      select device_id, key, hour from maple.telemetry_hour
      where hour < now() - make_interval(days => ${days}::int) limit ${most}
    )
    delete from maple.telemetry_hour as kept using old
    where kept.device_id = old.device_id and kept.key = old.key and kept.hour = old.hour
    returning 1`.execute(db)
  return rows.length
}

/**
 * Chart columns of an hour or more: whole hours from their rows, the edges from points. An hour
 * belongs to the column in which it begins.
 */
export async function readHours(
  db: MapleDb,
  { deviceId, from, to }: Range,
  { key, columns }: { key: string; columns: number },
): Promise<ChartColumn[]> {
  const { rows: edges } = await sql<{ since: string; until: string }>`
    select since, greatest(since, least(${hourOf(sql`${to}::timestamptz`)},
      coalesce((select until from maple.telemetry_rolled), since))) as until
    from ${hourOf(sql`${from}::timestamptz + interval '1 hour' - interval '1 microsecond'`)} as since
  `.execute(db)
  const whole = edges[0] ?? { since: from, until: from }
  const start = sql`extract(epoch from ${from}::timestamptz)::float8`
  const width = sql`((extract(epoch from ${to}::timestamptz)::float8 - ${start}) / ${columns}::float8)`
  const points = (since: string, until: string) => sql`
    select ts as at, value as min, value as max, value as first, value as last, ts as last_at,
      1 as count, (sent_at is not null)::int as clamped
    from maple.telemetry where device_id = ${deviceId} and key = ${key}
      and ts >= ${since}::timestamptz and ts < ${until}::timestamptz`
  const { rows } = await sql<ChartColumn>`
    select to_timestamp(${start} + place * ${width}) as at, min(min) as min, max(max) as max,
      (array_agg(first order by item.at))[1] as first,
      (array_agg(last order by item.at desc))[1] as last,
      sum(count)::int as count, sum(clamped)::int as clamped, max(last_at) as "lastAt"
    from (
      select *, floor((extract(epoch from at)::float8 - ${start}) / ${width})::int as place
      from (
        select hour as at, min, max, first, last, last_at, count, clamped
        from maple.telemetry_hour where device_id = ${deviceId} and key = ${key}
          and hour >= ${whole.since}::timestamptz and hour < ${whole.until}::timestamptz
        union all (${points(from, whole.since)})
        union all (${points(whole.until, to)})
      ) as each
    ) as item group by place order by place`.execute(db)
  return rows
}

/** Longer charts are read from hours: reading a busy device's points would take too long. */
const maxDaysOfPoints = 3

/**
 * The columns of a chart, from hours if they are at least an hour wide or the chart is long; such a
 * chart has no columns narrower than an hour.
 */
export const readChart = (
  db: MapleDb,
  range: Range,
  { key, columns }: { key: string; columns: number },
): Promise<ChartColumn[]> => {
  const hours = Math.floor((Date.parse(range.to) - Date.parse(range.from)) / hourMs)
  return hours < columns && hours <= maxDaysOfPoints * 24
    ? readColumns(db, range, { key, columns })
    : readHours(db, range, { key, columns: Math.min(columns, hours) })
}
