import { sql } from 'kysely'
import type { MapleDb } from '../../base/tables.ts'

/** The names of service providers by their ids. */
export async function serviceNames(
  db: MapleDb,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from maple.service where id = any(${[...new Set(ids)]}::text[])`.execute(db)
  return new Map(rows.map(({ id, name }) => [id, name]))
}
