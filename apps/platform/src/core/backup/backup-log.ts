import { sql } from 'kysely'
import type { Db } from '../database/database.ts'

/** Records in the database that a verified backup of it was just made. */
export async function noteBackup(db: Db): Promise<void> {
  await sql`create table if not exists grove.backup (made_at timestamptz not null)`.execute(db)
  await sql`insert into grove.backup values (now())`.execute(db)
  await sql`delete from grove.backup where made_at < now() - interval '400 days'`.execute(db)
}

/** Seconds since the last backup; undefined if there was none. */
export async function sinceLastBackup(db: Db): Promise<number | undefined> {
  const { rows: found } = await sql<{ isThere: boolean }>`
    select to_regclass('grove.backup') is not null as "isThere"`.execute(db)
  if (!found[0]?.isThere) return undefined
  const { rows } = await sql<{ age: number | null }>`
    select extract(epoch from now() - max(made_at))::float8 as age from grove.backup`.execute(db)
  return rows[0]?.age ?? undefined
}

/** Seconds without a backup; if there was none, since the database was created. */
export async function withoutBackup(db: Db): Promise<number> {
  const last = await sinceLastBackup(db)
  if (last !== undefined) return last
  const { rows } = await sql<{ age: number }>`
    select extract(epoch from now() - min(applied_at))::float8 as age
    from grove.migration`.execute(db)
  return rows[0]?.age ?? 0
}
