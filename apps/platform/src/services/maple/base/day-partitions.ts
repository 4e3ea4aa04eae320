import { sql } from 'kysely'
import type { MapleDb } from './tables.ts'

/** Tables with a partition per UTC day, which has the day in its name: `telemetry_20260302`. */
export type DayTable = 'device_message' | 'exchange' | 'telemetry'

/** The day of a time in milliseconds since 1970, such as `2026-03-02`. */
export const dayOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10)

const dayMs = 86_400_000

/** The day of a time, with this many days before and after it. */
export const daysAround = (moment: number, { before, after }: { before: number; after: number }) =>
  Array.from({ length: before + 1 + after }, (_, at) => dayOf(moment + (at - before) * dayMs))

/** PostgreSQL's code for a lock timeout. */
const lockNotAvailable = '55P03'

/** False if others held locks longer than anything may wait for this. */
async function didLock(work: Promise<unknown>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if ((error as { code?: string }).code === lockNotAvailable) return false
    throw error
  }
}

/**
 * Creates missing partitions of days. No reader or writer waits for it.
 * @returns whether all of them exist; false if the table is being changed by others.
 */
export async function makeDays(
  db: MapleDb,
  table: DayTable,
  days: readonly string[],
): Promise<boolean> {
  if (days.length === 0) return true
  const make = sql.raw(`maple.make_${table}_day`)
  return didLock(
    sql`select ${make}(day) from unnest(${days.toSorted()}::date[]) as day`.execute(db),
  )
}

/** The days that have a partition, in order. */
export async function readDays(db: MapleDb, table: DayTable): Promise<string[]> {
  const { rows } = await sql<{ day: string }>`
    select regexp_replace(right(child.relname, 8), '(....)(..)(..)', '\\1-\\2-\\3') as day
    from pg_inherits join pg_class as child on child.oid = inhrelid
    where inhparent = ${`maple.${table}`}::regclass and child.relname ~ '_[0-9]{8}$'
    order by 1`.execute(db)
  return rows.map(({ day }) => day)
}

/**
 * Drops the partitions of the days before this one. That locks the whole table and blocks writers, so
 * during a long read, such as a backup, it is left to the next run.
 */
export async function dropDaysBefore(db: MapleDb, table: DayTable, before: string): Promise<void> {
  for (const day of await readDays(db, table)) {
    if (day >= before) return
    const partition = sql.table(`maple.${table}_${day.replaceAll('-', '')}`)
    const drop = db.transaction().execute(async (tx) => {
      await sql`set local lock_timeout = '1s'`.execute(tx)
      await sql`drop table ${partition}`.execute(tx)
    })
    if (!(await didLock(drop))) return
  }
}
