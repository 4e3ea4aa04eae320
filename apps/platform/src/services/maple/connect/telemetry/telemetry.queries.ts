import { sql, type RawBuilder } from 'kysely'
import type { TelemetryColumn, TelemetryKey } from '@grove/contract/maple/connect/telemetry'
import { maxKeys } from '@grove/contract/maple/connect/telemetry.rules'
import type { MapleDb } from '../../base/tables.ts'

/** A column, with the chart's metadata. */
export type ChartColumn = TelemetryColumn & { clamped: number; lastAt: string }

export interface Range {
  deviceId: string
  from: string
  to: string
}

const inRange = ({ deviceId, from, to }: Range): RawBuilder<unknown> =>
  sql`device_id = ${deviceId} and ts >= ${from}::timestamptz and ts < ${to}::timestamptz`

/** The first keys by name: each is found by one step in the index, however many points it has. */
export async function findKeys(db: MapleDb, range: Range): Promise<TelemetryKey[]> {
  const next = (than: RawBuilder<unknown>) => sql`
    select key from maple.telemetry where ${inRange(range)} ${than} order by key limit 1`
  const { rows } = await sql<TelemetryKey>`
    with recursive found as (
      (${next(sql``)})
      union all
      select (${next(sql`and key > found.key`)}) from found where found.key is not null
    ), named as (select key from found where key is not null limit ${sql.lit(maxKeys)})
    select named.key, newest.value, newest.ts as at from named
    cross join lateral (
      select value, ts from maple.telemetry where ${inRange(range)} and key = named.key
      order by ts desc limit 1
    ) as newest order by named.key`.execute(db)
  return rows
}

/**
 * Minimum, maximum, first and last value of each non-empty column: drawn at the columns' width, the
 * line equals that of all points. The two values at the edges are looked up by time, which costs less
 * than sorting the points of each column.
 */
export async function readColumns(
  db: MapleDb,
  range: Range,
  { key, columns }: { key: string; columns: number },
): Promise<ChartColumn[]> {
  // Within the range, so that a lookup is planned only for its days.
  const valueAt = (moment: RawBuilder<unknown>) => sql`(
    select value from maple.telemetry where ${inRange(range)} and key = ${key} and ts = ${moment})`
  const from = sql`extract(epoch from ${range.from}::timestamptz)::float8`
  const width = sql`((extract(epoch from ${range.to}::timestamptz)::float8 - ${from}) / ${columns}::float8)`
  const { rows } = await sql<ChartColumn>`
    with columns as materialized (
      select floor((extract(epoch from ts)::float8 - ${from}) / ${width})::int as place,
        min(value) as min, max(value) as max, min(ts) as first_at, max(ts) as last_at,
        count(*)::int as count, count(sent_at)::int as clamped
      from maple.telemetry where ${inRange(range)} and key = ${key} group by 1
    )
    select to_timestamp(${from} + place * ${width}) as at, min, max,
      ${valueAt(sql`first_at`)} as first, ${valueAt(sql`last_at`)} as last, count, clamped,
      last_at as "lastAt"
    from columns order by place`.execute(db)
  return rows
}

export interface Point {
  at: string
  value: number
  /** The device's own time, if it was implausible. */
  sentAt: string | null
}

/** The points of a key after a time, in order. */
export async function readPoints(
  db: MapleDb,
  range: Range,
  { key, after, limit }: { key: string; after: string | undefined; limit: number },
): Promise<Point[]> {
  const behind = after === undefined ? sql`true` : sql`ts > ${after}::timestamptz`
  const { rows } = await sql<Point>`
    select ts as at, value, sent_at as "sentAt" from maple.telemetry
    where ${inRange(range)} and key = ${key} and ${behind} order by ts limit ${limit}`.execute(db)
  return rows
}
