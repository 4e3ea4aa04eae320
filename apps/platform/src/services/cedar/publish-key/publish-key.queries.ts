import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { PublishKey } from '@grove/contract/cedar/publish-key'
import type { QueryOf } from '@grove/contract/call'
import { publishKeySorting } from '@grove/contract/cedar/publish-key.rules'
import type { SortOf } from '@grove/contract/page.rules'
import { defineList, type ListPage } from '../../../core/database/define-list.ts'
import { keyUser } from '../../../core/http/access.ts'
import { containsText } from '../parts/text-search.queries.ts'
import { isUuid } from '../parts/uuid.ts'
import type { CedarDb } from '../tables.ts'

type KeyQuery = QueryOf<Calls['GET /api/developer/publishKey']>
type KeyRow = PublishKey & { searchName: string }

/** Keys of one provider, or of every provider that a user belongs to. */
type KeyScope = { providerId: string } | { userId: string }

const columns = sql`k.id, k.provider_id as "providerId", k.name, k.search_name as "searchName",
  k.ending, k.created_by as "createdBy", k.created_at as "createdAt", k.expires_at as "expiresAt",
  k.last_used_at as "lastUsedAt"`

export const publishKeyList = defineList({
  name: 'publish key',
  sorts: { createdAt: ['created_at', 'timestamp'], name: ['search_name', 'text'] },
  sorting: publishKeySorting,
  tiebreak: ['id', 'uuid'],
  filters: {
    q: (text) => (isUuid(text) ? sql`k.id = ${text}` : containsText(sql`k.search_name`, text)),
  },
  keys: (row, sort) => [sort === 'name' ? row.searchName : row.createdAt, row.id],
  rows: (
    db: CedarDb,
    { where, orderBy, limit }: ListPage<KeyQuery, SortOf<typeof publishKeySorting>>,
    of: KeyScope,
  ) => {
    const providers =
      'providerId' in of
        ? sql`select ${of.providerId}::uuid as provider_id`
        : sql`select provider_id from cedar.provider_user where user_id = ${of.userId}`
    return sql<KeyRow>`
      select ${columns} from (${providers}) owned
      cross join lateral (
        select k.* from cedar.publish_key k
        where k.provider_id = owned.provider_id and ${where('k')}
        order by ${orderBy('k')} limit ${limit}
      ) k
      order by ${orderBy('k')} limit ${limit}`.execute(db)
  },
})

export async function findKey(db: CedarDb, id: string): Promise<PublishKey | undefined> {
  const { rows } = await sql<KeyRow>`
    select ${columns} from cedar.publish_key k where k.id = ${id}`.execute(db)
  return rows[0] && toKey(rows[0])
}

export function toKey(row: KeyRow): PublishKey {
  const { searchName: _, ...key } = row
  return key
}

interface NewKey {
  id: string
  providerId: string
  name: string
  searchName: string
  sha256: string
  ending: string
  createdBy: string
  expiresInDays: number | null
}

export async function insertKey(db: CedarDb, key: NewKey): Promise<void> {
  await sql`
    insert into cedar.publish_key
      (id, provider_id, name, search_name, sha256, ending, created_by, expires_at)
    values (${key.id}, ${key.providerId}, ${key.name}, ${key.searchName}, ${key.sha256},
      ${key.ending}, ${key.createdBy}, now() + make_interval(days => ${key.expiresInDays}))`.execute(
    db,
  )
  await db
    .insertInto('cedar.provider_user')
    .values({ provider_id: key.providerId, user_id: keyUser + key.id, is_owner: false })
    .execute()
}

export async function deleteKey(db: CedarDb, id: string): Promise<void> {
  await sql`delete from cedar.publish_key where id = ${id}`.execute(db)
  await db
    .deleteFrom('cedar.provider_user')
    .where('user_id', '=', keyUser + id)
    .execute()
}

export async function countKeys(db: CedarDb, providerId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from cedar.publish_key
    where provider_id = ${providerId}`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * The id of an unexpired key whose creator still belongs to its provider. Records the use, at most
 * once a minute.
 */
export async function touchKey(db: CedarDb, sha256: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string; isNoted: boolean }>`
    select id, coalesce(last_used_at > now() - interval '1 minute', false) as "isNoted"
    from cedar.publish_key k
    where sha256 = ${sha256} and (expires_at is null or expires_at > now()) and exists (
      select from cedar.provider_user u
      where u.user_id = k.created_by and u.provider_id = k.provider_id)`.execute(db)
  const [found] = rows
  if (found && !found.isNoted)
    await sql`update cedar.publish_key set last_used_at = now() where id = ${found.id}`.execute(db)
  return found?.id
}
