import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { ProductVersion, Release } from '@grove/contract/cedar/product-version'
import type { QueryOf } from '@grove/contract/call'
import { defineList, type ListPage } from '../../../core/database/define-list.ts'
import type { CedarDb } from '../tables.ts'

export interface ReleaseRow extends Omit<Release, 'action'> {
  action: 'version.enable' | 'version.disable'
  /** The state of the previous version. */
  state: ProductVersion['state'] | null
}

type ReleaseQuery = QueryOf<Calls['GET /api/developer/product/{id}/release']>

/** The events of a product's versions that went live or were disabled, by id. */
export const releaseList = defineList({
  name: 'release',
  sorts: { id: ['id', 'integer'] },
  sorting: { default: 'id', order: 'desc' },
  tiebreak: ['id', 'integer'],
  keys: ({ id }) => [id, id],
  rows: (
    db: CedarDb,
    { direction, after, limit }: ListPage<ReleaseQuery, 'id'>,
    productId: string,
  ) => {
    const than = sql.raw(direction === 'asc' ? '>' : '<')
    return sql<ReleaseRow>`
      select id::text as id, at, action, actor, after ->> 'version' as version,
        after ->> 'reason' as reason, before -> 'live' ->> 'version' as replaced,
        before ->> 'state' as state
      from cedar.event
      where action in ('version.enable', 'version.disable') and after ->> 'productId' = ${productId}
        ${after ? sql`and id ${than} ${after.value}::bigint` : sql``}
      order by id ${sql.raw(direction)} limit ${limit}`.execute(db)
  },
})
