import { sql } from 'kysely'
import { aboutCountLimit } from '@grove/contract/maple/about.rules'
import { inScope, type Scope } from '../../../core/scope.ts'
import type { MapleDb } from '../base/tables.ts'

interface Attention {
  expiringSoon: number
  expired: number
  failed: number
}

/**
 * What needs attention, for one service provider or for all, each counted up to the limit with an
 * index.
 */
export async function countAttention(
  db: MapleDb,
  { now, soon, scope }: { now: string; soon: string; scope: Scope },
): Promise<Attention> {
  const upTo = (rows: ReturnType<typeof sql>) =>
    sql`(select count(*) from (select ${rows} limit ${sql.lit(aboutCountLimit)}) as counted)`
  const accounts = sql`from maple.account where ${inScope(scope, 'service_id')}`
  const { rows } = await sql<Attention>`
    select
      ${upTo(sql`${accounts} and expires_at > ${now} and expires_at <= ${soon}`)} as "expiringSoon",
      ${upTo(sql`${accounts} and expires_at <= ${now}`)} as expired,
      ${upTo(sql`from maple.job where ${inScope(scope, 'scope')} and state = 'failed'`)} as failed
  `.execute(db)
  return rows[0] ?? { expiringSoon: 0, expired: 0, failed: 0 }
}
