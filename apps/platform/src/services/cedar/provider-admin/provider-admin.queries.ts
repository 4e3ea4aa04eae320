import { sql, type RawBuilder } from 'kysely'
import type { AdminProvider, ProviderListItem } from '@grove/contract/cedar/provider-admin'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import { providerSorting } from '@grove/contract/cedar/provider.rules'
import type { SortOf } from '@grove/contract/page.rules'
import { defineList, type ListPage } from '../../../core/database/define-list.ts'
import { keyUser } from '../../../core/http/access.ts'
import { imageUrl } from '../parts/image-url.ts'
import { containsText } from '../parts/text-search.queries.ts'
import { masked } from '../parts/masked.ts'
import { keyWorks } from '../api-key/api-key.queries.ts'
import { apiKeyEnd, nameColumns } from '../provider/provider.queries.ts'
import type { CedarDb, CedarTables } from '../tables.ts'
import { isUuid } from '../parts/uuid.ts'

type ProviderQuery = QueryOf<Calls['GET /api/admin/provider']>

export interface ListRow extends Omit<ProviderListItem, 'iconUrl'> {
  iconSha256: string | null
  sortName: string
}

export const providerList = defineList({
  name: 'provider',
  sorts: { createdAt: ['created_at', 'timestamp'], name: ['sort_name', 'text'] },
  sorting: providerSorting,
  tiebreak: ['id', 'uuid'],
  filters: {
    providerId: (id) => sql`id = ${id}`,
    ownerId: (id) => sql`owner_id = ${id}`,
    stage: (stage) => sql`stage = ${stage}`,
    enabled: (enabled) => sql`${enabled ? sql`` : sql`not`} enabled`,
    kind: (kind) => sql`${kind === 'personal' ? sql`` : sql`not`} is_default`,
    q: (text) =>
      isUuid(text.trim()) ? sql`id = ${text.trim()}` : containsText(sql`search_text`, text),
  },
  keys: (row, sort) => [sort === 'name' ? row.sortName : row.createdAt, row.id],
  rows: (
    db: CedarDb,
    { where, orderBy, limit }: ListPage<ProviderQuery, SortOf<typeof providerSorting>>,
  ) =>
    sql<ListRow>`
      select id, owner_id as "ownerId", is_default as "isDefault", enabled, stage, translations,
        icon_sha256 as "iconSha256", product_count as "productCount", created_at as "createdAt",
        sort_name as "sortName"
      from cedar.provider where ${where()} order by ${orderBy()} limit ${limit}
    `.execute(db),
})

export const toListItem = ({
  iconSha256,
  ...row
}: Omit<ListRow, 'sortName'>): ProviderListItem => ({
  ...row,
  iconUrl: imageUrl(iconSha256),
})

/** A provider as an admin sees it; absent limits default to the stage's. */
export type ProviderFacts = Omit<
  AdminProvider,
  'rights' | 'limitsInForce' | 'limits' | 'use' | 'users'
> & {
  users: Omit<AdminProvider['users'][number], 'roles'>[]
  limits: CedarTables['cedar.provider']['limits']['__select__']
  use: Omit<AdminProvider['use'], 'storageBytes'>
}

export async function findProviderFacts(
  db: CedarDb,
  id: string,
): Promise<ProviderFacts | undefined> {
  type Row = Omit<ProviderFacts, 'iconUrl' | 'mobyApiKey'> & {
    iconSha256: string | null
    keyEnd: string | null
  }
  const { rows } = await sql<Row>`
    select p.id, p.owner_id as "ownerId", p.is_default as "isDefault", p.enabled, p.stage,
      p.translations, p.icon_sha256 as "iconSha256", p.auth_provider as "authProvider", p.limits,
      p.fares, p.mini_app_rights as "miniAppRights", p.moby_api_url as "mobyApiUrl",
      p.moby_roles as "mobyRoles", ${apiKeyEnd(sql.ref('p.id'))} as "keyEnd", p.revision, p.created_at as "createdAt", p.updated_at as "updatedAt",
      (select link_id from cedar.product where provider_id = p.id and is_default)
        as "miniAppLinkId",
      coalesce((
        select jsonb_agg(jsonb_build_object('userId', user_id, 'isOwner', is_owner)
          order by is_owner desc, user_id)
        from cedar.provider_user
        where provider_id = p.id and user_id not like ${`${keyUser}%`}), '[]') as users,
      coalesce((
        select jsonb_agg(jsonb_build_object('id', k.id, 'name', k.name, 'last4', k.last4,
            'createdAt', ${utc(sql`k.created_at`)}, 'endsAt', ${utc(sql`k.ends_at`)})
          order by k.created_at desc, k.id)
        from cedar.provider_key k where k.provider_id = p.id and ${keyWorks}), '[]') as "apiKeys",
      jsonb_build_object('products', p.product_count, 'links', (
        select count(*) from cedar.product d
        where d.provider_id = p.id and d.link_id is not null), 'liveProducts', (
        select count(*) from cedar.product d
        join cedar.product_version v on v.product_id = d.id and v.enabled
        where d.provider_id = p.id)) as use
    from cedar.provider p where p.id = ${id}
  `.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { iconSha256, keyEnd, ...facts } = row
  return { ...facts, iconUrl: imageUrl(iconSha256), mobyApiKey: masked(keyEnd) }
}

// In the format of timestamp columns.
const utc = (moment: RawBuilder<unknown>) =>
  sql`to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

interface ProviderValues {
  enabled: boolean
  stage: AdminProvider['stage']
  translations: AdminProvider['translations']
  limits: ProviderFacts['limits']
  authProvider: string | null
  fares: AdminProvider['fares']
  miniAppRights: AdminProvider['miniAppRights']
  mobyApiUrl: string | null
  mobyRoles: AdminProvider['mobyRoles']
}

export const updateProvider = (db: CedarDb, id: string, values: ProviderValues) =>
  db
    .updateTable('cedar.provider')
    .set({
      enabled: values.enabled,
      stage: values.stage,
      ...nameColumns(values.translations),
      limits: JSON.stringify(values.limits),
      auth_provider: values.authProvider,
      fares: JSON.stringify(values.fares),
      mini_app_rights: JSON.stringify(values.miniAppRights),
      moby_api_url: values.mobyApiUrl,
      moby_roles: JSON.stringify(values.mobyRoles),
      revision: sql`revision + 1`,
      updated_at: sql`now()`,
    })
    .where('id', '=', id)
    .execute()

export const deleteProvider = (db: CedarDb, id: string) =>
  db.deleteFrom('cedar.provider').where('id', '=', id).execute()

export const linkUser = (db: CedarDb, id: string, userId: string) =>
  db
    .insertInto('cedar.provider_user')
    .values({ provider_id: id, user_id: userId, is_owner: false })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

export const unlinkUser = (db: CedarDb, id: string, userId: string) =>
  db
    .deleteFrom('cedar.provider_user')
    .where('provider_id', '=', id)
    .where('user_id', '=', userId)
    .execute()

/** Makes a member the only owner. */
export async function setOwner(db: CedarDb, id: string, userId: string): Promise<void> {
  await db.updateTable('cedar.provider').set({ owner_id: userId }).where('id', '=', id).execute()
  await db
    .updateTable('cedar.provider_user')
    .set({ is_owner: sql`user_id = ${userId}` })
    .where('provider_id', '=', id)
    .execute()
}

export const touchProvider = (db: CedarDb, id: string) =>
  db
    .updateTable('cedar.provider')
    .set({ revision: sql`revision + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .execute()

/** Locks providers for the transaction, always in the same order. */
export const lockProviders = (db: CedarDb, ids: readonly string[]) =>
  db
    .selectFrom('cedar.provider')
    .select('id')
    .where('id', 'in', ids)
    .orderBy('id')
    .forUpdate()
    .execute()
