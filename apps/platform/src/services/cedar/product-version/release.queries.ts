import { sql } from 'kysely'
import type { ProductVersion, Release } from '@grove/contract'
import type { KeysetCursor } from '../../../core/database/keyset.ts'
import type { CedarDb } from '../tables.ts'

export interface ReleaseRow extends Omit<Release, 'action'> {
  action: 'version.enable' | 'version.disable'
  /** The state of the version before it. */
  state: ProductVersion['state'] | null
}

interface ReleasePage {
  after: KeysetCursor | undefined
  isDescending: boolean
  limit: number
}

/** The audit's rows on versions of a product that went live or were disabled. */
export async function findReleases(
  db: CedarDb,
  productId: string,
  { after, isDescending, limit }: ReleasePage,
): Promise<ReleaseRow[]> {
  const { rows } = await sql<ReleaseRow>`
    select id::text as id, at, action, actor, after ->> 'version' as version,
      after ->> 'reason' as reason, before -> 'live' ->> 'version' as replaced,
      before ->> 'state' as state
    from cedar.event
    where action in ('version.enable', 'version.disable') and after ->> 'productId' = ${productId}
      ${after ? sql`and id ${isDescending ? sql`<` : sql`>`} ${after.value}::bigint` : sql``}
    order by id ${isDescending ? sql`desc` : sql`asc`} limit ${limit}`.execute(db)
  return rows
}
