import { sql } from 'kysely'
import type { MapleDb } from '../../base/tables.ts'
import { daysAround, makeDays } from '../../base/day-partitions.ts'

/** Its partition holds messages from before there were days. */
export const firstMessageDay = '1970-01-01'

/** Creates the partitions of today and tomorrow. */
export const makeMessageDays = (db: MapleDb, now: number): Promise<boolean> =>
  makeDays(db, 'device_message', daysAround(now, { before: 0, after: 1 }))

/**
 * Lets the next messages count as this day's, if its partition exists.
 * @returns the current day: an earlier one if writers are active, which take precedence.
 */
export async function beginMessageDay(db: MapleDb, day: string): Promise<string> {
  const { rows } = await sql<{ day: string }>`
    select maple.begin_device_message_day(${day}::date)::text as day`.execute(db)
  return rows[0]?.day ?? firstMessageDay
}

/** Deletes messages of the first day. @returns how many were deleted, up to the limit. */
export async function deleteFirstMessages(
  db: MapleDb,
  { days, most }: { days: number; most: number },
): Promise<number> {
  const { rows } = await sql`
    with old as (
      select id from maple.device_message_19700101
      where received_at < now() - make_interval(days => ${days}::int) limit ${most}
    ), decodings as (
      delete from maple.device_decoding where message_id in (select id from old)
    )
    delete from maple.device_message_19700101 where id in (select id from old) returning 1
  `.execute(db)
  return rows.length
}

/**
 * Deletes outcomes of payloads from before this day. @returns how many were deleted, up to the limit.
 */
export async function deleteDecodingsBefore(
  db: MapleDb,
  { day, most }: { day: string; most: number },
): Promise<number> {
  const { rows } = await sql`
    delete from maple.device_decoding where message_id = any(array(
      select message_id from maple.device_decoding
      where message_id < maple.day_bound('maple.device_message', ${day}::date)::bigint
      order by message_id limit ${most}))
    returning 1`.execute(db)
  return rows.length
}
