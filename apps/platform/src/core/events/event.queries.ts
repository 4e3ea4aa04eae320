import { sql, type QueryExecutorProvider } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { Event } from '@grove/contract/core/event'
import type { QueryOf, ServiceName } from '@grove/contract/call'
import { inScope, type Scope } from '../scope.ts'
import { defineList, type ListPage } from '../database/define-list.ts'
import { timeOf, type JobStore } from '../jobs/job-tables.ts'

/** One of the services also filters by service provider. */
export type EventQuery = QueryOf<Calls[`GET /api/${ServiceName}/event`]> & {
  serviceId?: string | undefined
}

export const eventList = defineList({
  name: 'event',
  sorts: { at: ['at', 'timestamp'] },
  sorting: { default: 'at', order: 'desc' },
  tiebreak: ['id', 'integer'],
  filters: {
    q: (id) => sql`((actor = ${id} and part_of is null) or subject = ${id})`,
    actor: (actor) => sql`actor = ${actor}`,
    action: (action) => sql`action = ${action}`,
    subject: (subject) => sql`subject = ${subject}`,
    partOf: (partOf) => sql`part_of = ${partOf}`,
    serviceId: (id) => sql`service_id = ${id}`,
    from: (from) => sql`at >= ${from}::timestamptz`,
    to: (to) => sql`at < ${to}::timestamptz`,
  },
  keys: ({ at, id }) => [at, String(id)],
  rows: (
    db: QueryExecutorProvider,
    { query, where, orderBy, limit }: ListPage<EventQuery, 'at'>,
    { schema, scope }: { schema: string; scope: Scope },
  ) =>
    sql<Event>`
      select id, at, actor, action, subject, ip, user_agent as "userAgent",
        request_id as "requestId", part_of as "partOf", before, after
      from ${sql.table(`${schema}.event`)}
      where ${inScope(scope, 'service_id')} and ${isListed(query)} and ${where()}
      order by ${orderBy()} limit ${sql.lit(limit)}`.execute(db),
})

/** The parts of a bulk change are listed only under it, and in the history of their subject. */
const isListed = ({ q, subject, partOf }: EventQuery) =>
  (q ?? subject ?? partOf) ? sql`true` : sql`part_of is null`

/**
 * Deletes events older than an age, except those of `kept` actions, a thousand at a time; returns the
 * number.
 */
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
