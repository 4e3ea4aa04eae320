import { sql, type QueryExecutorProvider, type RawBuilder } from 'kysely'
import type { Event } from '@grove/contract'
import type { KeysetRange } from '../database/keyset-page.ts'
import { timeOf, type JobStore } from '../jobs/job-tables.ts'

export interface EventFilter {
  /** An actor or a subject. */
  q?: string | undefined
  actor?: string | undefined
  action?: string | undefined
  subject?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

/** The newest first. */
export async function pageOfEvents(
  db: QueryExecutorProvider,
  schema: string,
  filter: EventFilter,
  { after, isBackward, limit }: KeysetRange,
): Promise<Event[]> {
  const conditions: RawBuilder<unknown>[] = [sql`true`]
  for (const column of ['actor', 'action', 'subject'] as const)
    if (filter[column] !== undefined) conditions.push(sql`${sql.ref(column)} = ${filter[column]}`)
  if (filter.q !== undefined) conditions.push(sql`(actor = ${filter.q} or subject = ${filter.q})`)
  if (filter.from !== undefined) conditions.push(sql`at >= ${filter.from}::timestamptz`)
  if (filter.to !== undefined) conditions.push(sql`at < ${filter.to}::timestamptz`)
  if (after) {
    const than = sql.raw(isBackward ? '>' : '<')
    conditions.push(sql`(at, id) ${than} (${after.value}::timestamptz, ${after.tiebreak}::bigint)`)
  }
  const order = sql.raw(isBackward ? 'asc' : 'desc')
  const { rows } = await sql<Event>`
    select id, at, actor, action, subject, ip, user_agent as "userAgent",
      request_id as "requestId", before, after
    from ${sql.table(`${schema}.event`)}
    where ${sql.join(conditions, sql` and `)}
    order by at ${order}, id ${order} limit ${sql.lit(limit)}`.execute(db)
  return rows
}

/** Deletes events older than an age, but those of `kept` actions: a thousand at a time; answers how many. */
export async function deleteOldEvents(
  store: JobStore,
  ageMs: number,
  kept: readonly string[],
): Promise<number> {
  const table = sql.table(`${store.schema}.event`)
  const { rows } = await sql`
    delete from ${table} where id in (
      select id from ${table} where at < ${timeOf(store, -ageMs)}
        and action <> all(${kept}::text[])
      order by at limit 1000)
    returning id`.execute(store.db)
  return rows.length
}
