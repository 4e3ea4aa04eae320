import { sql } from 'kysely'
import type { Failure } from '@grove/contract/cedar/failure'
import { failureDays, mostFailures } from '@grove/contract/cedar/failure.rules'
import { keyUser } from '../../../core/http/access.ts'
import { versionNumber } from '../product-version/version-facts.ts'
import type { CedarDb } from '../tables.ts'

/**
 * Failures of a user's providers. Both parts are read through an index of provider and time, so the
 * cost follows their own last week, not the table.
 */
export async function findFailures(db: CedarDb, userId: string): Promise<Failure[]> {
  const since = sql`now() - make_interval(days => ${failureDays}::integer)`
  const { rows } = await sql<Failure>`
    select found.*, p.translations as "productTitles" from (
      select provider_id from cedar.provider_user where user_id = ${userId}) owned
    cross join lateral (
      (select 'notification' as kind, n.id, n.at, n.product_id as "productId",
          null as version, false as "isByKey"
        from cedar.notification n
        where n.provider_id = owned.provider_id and n.at > ${since} and n.at <= now()
          and n.state in ('failed', 'expired', 'not_sent')
        order by n.at desc limit ${mostFailures})
      union all
      (select 'package', v.id, e.at, v.product_id, ${versionNumber},
          coalesce(e.actor like ${`${keyUser}%`}, false)
        from (
          select distinct on (e.subject) e.subject, e.at, e.actor from cedar.event e
          where e.provider_id = owned.provider_id and e.action = 'version.package.refused'
            and e.at > ${since}
          order by e.subject, e.at desc) e
        join cedar.product_version v
          on v.id = e.subject::uuid and v.refused_report is not null
        order by e.at desc limit ${mostFailures})
    ) found
    join cedar.product p on p.id = found."productId"
    order by found.at desc, found.id limit ${mostFailures}`.execute(db)
  return rows
}
