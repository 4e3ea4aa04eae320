import { sql } from 'kysely'
import type { Provider } from '@grove/contract/cedar/provider'
import type { UserKey } from '@grove/contract/cedar/user'
import { keyWorks } from '../api-key/api-key.queries.ts'
import type { ListRow } from '../provider-admin/provider-admin.queries.ts'
import type { CedarDb } from '../tables.ts'

const most = sql.lit(100)

type MembershipRow = Omit<ListRow, 'sortName'> & Pick<Provider, 'mobyRoles'> & { isOwner: boolean }

export async function readMemberships(db: CedarDb, userId: string): Promise<MembershipRow[]> {
  const { rows } = await sql<MembershipRow>`
    select p.id, p.owner_id as "ownerId", p.is_default as "isDefault", p.enabled, p.stage,
      p.translations, p.icon_sha256 as "iconSha256", p.product_count as "productCount",
      p.created_at as "createdAt", p.moby_roles as "mobyRoles", u.is_owner as "isOwner"
    from cedar.provider_user u join cedar.provider p on p.id = u.provider_id
    where u.user_id = ${userId}
    order by p.is_default desc, p.created_at, p.id limit ${most}`.execute(db)
  return rows
}

/** A key ends with its creator's membership, so all of these work until they expire. */
export async function readKeysOf(db: CedarDb, userId: string): Promise<UserKey[]> {
  const { rows } = await sql<UserKey>`
    select made.*, p.translations as "providerNames" from (
      select k.id, 'publish' as kind, k.provider_id as "providerId", k.name, k.ending,
        k.created_at as "createdAt", k.expires_at as "endsAt", k.last_used_at as "lastUsedAt"
      from cedar.publish_key k
      where k.created_by = ${userId} and (k.expires_at is null or k.expires_at > now())
      union all
      select k.id, 'api', k.provider_id, k.name, k.last4, k.created_at, k.ends_at, k.last_used_at
      from cedar.provider_key k where k.created_by = ${userId} and ${keyWorks}
    ) made join cedar.provider p on p.id = made."providerId"
    order by made."createdAt" desc, made.id limit ${most}`.execute(db)
  return rows
}
