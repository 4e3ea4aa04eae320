import { sql } from 'kysely'
import { aboutCountLimit } from '@grove/contract/maple/about.rules'
import type { MapleDb } from '../tables.ts'

interface Attention {
  expiringSoon: number
  expired: number
  failed: number
}

/** What somebody should look at, of one service provider or of all, each counted up to the limit by an index. */
export async function countAttention(
  db: MapleDb,
  { now, soon, scope }: { now: string; soon: string; scope: string | null },
): Promise<Attention> {
  const upTo = (rows: ReturnType<typeof sql>) =>
    sql`(select count(*) from (select ${rows} limit ${sql.lit(aboutCountLimit)}) as counted)`
  const within = (column: string) =>
    scope === null ? sql`true` : sql`${sql.ref(column)} = ${scope}`
  const accounts = sql`from maple.account where ${within('service_id')}`
  const { rows } = await sql<Attention>`
    select
      ${upTo(sql`${accounts} and expires_at > ${now} and expires_at <= ${soon}`)} as "expiringSoon",
      ${upTo(sql`${accounts} and expires_at <= ${now}`)} as expired,
      ${upTo(sql`from maple.job where ${within('scope')} and state = 'failed'`)} as failed
  `.execute(db)
  return rows[0] ?? { expiringSoon: 0, expired: 0, failed: 0 }
}
