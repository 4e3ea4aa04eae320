import { sql } from 'kysely'
import type { CardContext } from '../context.ts'
import type { MapleDb } from '../../base/tables.ts'
import { dayOf, daysAround, dropDaysBefore, makeDays } from '../../base/day-partitions.ts'

const dayMs = 86_400_000
/** Rows per statement if a day has no partition. */
const rowsAtOnce = 10_000

/**
 * Drops the days of exchanges, and deletes the sessions, that are past their retention. An open
 * session keeps its day. Creates the partitions of today and tomorrow.
 */
export async function tidySessions(
  { db, now, settings }: Pick<CardContext, 'db' | 'now' | 'settings'>,
  signal: AbortSignal,
): Promise<void> {
  await makeDays(db, 'exchange', daysAround(now(), { before: 0, after: 1 }))
  const cutoff = dayOf(now() - settings.sessionDays * dayMs)
  const open = await oldestOpenDay(db)
  const before = open !== null && open < cutoff ? open : cutoff
  await dropDaysBefore(db, 'exchange', before)
  const deleteSome = [
    () => sql`
      delete from maple.exchange_other where ctid = any(array(
        select ctid from maple.exchange_other where day < ${before}::date limit ${rowsAtOnce}))
      returning 1`,
    () => sql`
      delete from maple.session where id = any(array(
        select id from maple.session where opened_at < ${before}::timestamptz
          and day < ${before}::date and ended_at is not null
        order by opened_at limit ${rowsAtOnce}))
      returning 1`,
  ]
  for (const statement of deleteSome)
    while (!signal.aborted && (await statement().execute(db)).rows.length > 0);
}

async function oldestOpenDay(db: MapleDb): Promise<string | null> {
  const { rows } = await sql<{ day: string | null }>`
    select to_char(min(day), 'YYYY-MM-DD') as day from maple.session
    where id in (select session_id from maple.session_lease)`.execute(db)
  return rows[0]?.day ?? null
}
