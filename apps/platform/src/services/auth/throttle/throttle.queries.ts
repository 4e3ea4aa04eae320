import { sql } from 'kysely'
import type { AuthDb } from '../tables.ts'

/**
 * Adds one attempt's worth of time to the key unless that would exceed `capacityMs`: one statement,
 * so any number of processes share the count without a lock. False if it was not added. A time beyond
 * a full bucket was written by a clock that was ahead: the bucket then counts as full after this
 * attempt, or the key would be refused until that time.
 */
export async function addAttempt(
  db: AuthDb,
  key: string,
  now: number,
  everyMs: number,
  capacityMs: number,
): Promise<boolean> {
  const latest = now + capacityMs
  const result = await sql`
    insert into auth.throttle as t (key, busy_until) values (${key}, ${now + everyMs})
    on conflict (key) do update
      set busy_until = least(greatest(t.busy_until, ${now}) + ${everyMs}, ${latest})
    where greatest(t.busy_until, ${now}) + ${everyMs} <= ${latest} or t.busy_until > ${latest}
    returning busy_until
  `.execute(db)
  return result.rows.length > 0
}

export async function readBusyUntil(db: AuthDb, key: string): Promise<number> {
  const row = await db
    .selectFrom('auth.throttle')
    .select('busy_until')
    .where('key', '=', key)
    .executeTakeFirst()
  return row?.busy_until ?? 0
}

export async function removeAttempt(db: AuthDb, key: string, everyMs: number): Promise<void> {
  await db
    .updateTable('auth.throttle')
    .set((row) => ({ busy_until: row('busy_until', '-', everyMs) }))
    .where('key', '=', key)
    .execute()
}

export async function forgetAttempts(db: AuthDb, key: string): Promise<void> {
  await db.deleteFrom('auth.throttle').where('key', '=', key).execute()
}

export async function deleteIdleThrottles(db: AuthDb, now: number): Promise<void> {
  await db.deleteFrom('auth.throttle').where('busy_until', '<', now).execute()
}
