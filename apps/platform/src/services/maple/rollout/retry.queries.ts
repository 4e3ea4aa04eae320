import { sql } from 'kysely'
import type { MapleDb } from '../base/tables.ts'

/** The first rollout of a chain of retries, and its number of retries. */
export async function readChain(
  tx: MapleDb,
  id: string,
): Promise<{ first: string; name: string; retries: number } | undefined> {
  const { rows } = await sql<{ first: string; name: string; retries: number }>`
    select first.id as first, coalesce(origin.name, rollout.name) as name,
      (select count(*)::int from maple.rollout as other where other.retried_first = first.id)
        as retries
    from maple.rollout as rollout
    cross join lateral (select coalesce(rollout.retried_first, rollout.id) as id) as first
    left join maple.rollout as origin on origin.id = first.id
    where rollout.id = ${id}`.execute(tx)
  return rows[0]
}

/**
 * The other retries of a chain, locked for the transaction: concurrent ones find their devices one
 * after another, so no device gets into two of them.
 */
export async function holdChain(
  tx: MapleDb,
  { id, of }: { id: string; of: string },
): Promise<string[]> {
  const chain = await readChain(tx, id)
  const first = chain?.first ?? of
  await sql`
    select pg_advisory_xact_lock(hashtextextended(${`maple.rollout ${first}`}, 0))`.execute(tx)
  const { rows } = await sql<{ id: string }>`
    select id from maple.rollout where retried_first = ${first} and id <> ${id}`.execute(tx)
  return rows.map((row) => row.id)
}
