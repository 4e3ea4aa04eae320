import { sql, type RawBuilder } from 'kysely'
import type { Activity } from '@grove/contract/cedar/activity'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import { defineList, type ListPage } from '../../../core/database/define-list.ts'
import { keyUser } from '../../../core/http/access.ts'
import type { CedarDb } from '../tables.ts'

type ActivityQuery = QueryOf<Calls['GET /api/developer/activity']>

/** The scope: events of one product, of one provider, of every provider of a user, or all. */
export type ActivityScope =
  | { productId: string }
  | { providerId: string }
  | { userId: string }
  | 'all'

/**
 * Each scope is read in order through its own index and stops at the page size, so the cost follows
 * the page, not other people's events.
 */
export const activityList = defineList({
  name: 'activity',
  sorts: { at: ['at', 'timestamp'] },
  sorting: { default: 'at', order: 'desc' },
  tiebreak: ['id', 'integer'],
  filters: {
    q: (id) => sql`(e.actor = ${id} or e.subject = ${id})`,
    actor: (actor) => sql`e.actor = ${actor}`,
    action: (action) => sql`e.action = ${action}`,
    subject: (subject) => sql`e.subject = ${subject}`,
    from: (from) => sql`e.at >= ${from}::timestamptz`,
    to: (to) => sql`e.at < ${to}::timestamptz`,
  },
  keys: ({ at, id }) => [at, String(id)],
  rows: (db: CedarDb, page: ListPage<ActivityQuery, 'at'>, of: ActivityScope) => {
    const { orderBy } = page
    return sql<Activity>`
      select e.id, e.at, e.actor, e.action, e.subject, e.provider_id as "providerId",
        e.product_id as "productId", p.translations as "providerNames",
        (select jsonb_agg(jsonb_build_object('localeCode', t -> 'localeCode', 'name', t -> 'title'))
          from jsonb_array_elements(d.translations) t) as "productNames",
        v.version, e.before, e.after, k.key
      from (${eventsOf(of, page)}) e
      left join cedar.provider p on p.id = e.provider_id
      left join cedar.product d on d.id = e.product_id
      left join lateral (
        select concat(v.major, '.', v.minor, '.', v.patch) as version
        from cedar.product_version v
        where e.action like 'version.%' and v.id = e.subject::uuid
      ) v on true
      left join lateral (
        select jsonb_build_object('name', found.name, 'createdBy', found.created_by) as key from (
          select k.name, k.created_by from cedar.publish_key k
          where k.id = case when ${isKey} then substr(e.actor, ${keyUser.length + 1})::uuid end
          union all
          -- A key that is revoked is gone.
          select c.after ->> 'name', c.actor from cedar.event c
          where ${isKey} and c.provider_id = e.provider_id and c.action = 'publishKey.create'
            and c.subject = substr(e.actor, ${keyUser.length + 1})
        ) found limit 1
      ) k on true
      order by ${orderBy('e')}`.execute(db)
  },
})

/** Whether a publish key was the actor. */
const isKey = sql`e.actor like ${`${keyUser}%`}`

function eventsOf(
  of: ActivityScope,
  { where, orderBy, limit }: ListPage<ActivityQuery, 'at'>,
): RawBuilder<unknown> {
  const read = (scope: RawBuilder<unknown>) => sql`
    select e.* from cedar.event e
    where ${scope} and ${where('e')} order by ${orderBy('e')} limit ${limit}`
  if (of === 'all') return read(sql`e.provider_id is not null`)
  if ('productId' in of) return read(sql`e.product_id = ${of.productId}`)
  if ('providerId' in of) return read(sql`e.provider_id = ${of.providerId}`)
  return sql`
    select found.* from (
      select provider_id from cedar.provider_user where user_id = ${of.userId}) owned
    cross join lateral (${read(sql`e.provider_id = owned.provider_id`)}) found
    order by ${orderBy('found')} limit ${limit}`
}
