import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Provider } from '@grove/contract/cedar/provider'
import { keyWorks } from '../api-key/api-key.queries.ts'
import { inLocale, searchable } from '../parts/translations.ts'
import type { CedarDb } from '../tables.ts'

interface NewProvider {
  id: string
  ownerId: string
  isDefault: boolean
  stage?: Provider['stage'] | undefined
  translations: Provider['translations']
}

/** The last characters of the newest valid key of the provider in a column. */
export const apiKeyEnd = (providerId: RawBuilder<unknown>) => sql<string | null>`(
  select k.last4 from cedar.provider_key k
  where k.provider_id = ${providerId} and ${keyWorks}
  order by k.created_at desc, k.id limit 1)`

const selectProviders = (db: CedarDb) =>
  db
    .selectFrom('cedar.provider as p')
    .leftJoin('cedar.product as d', (join) =>
      join.onRef('d.provider_id', '=', 'p.id').on('d.is_default', '=', true),
    )
    .select([
      'p.id',
      'p.owner_id',
      'p.is_default',
      'p.enabled',
      'p.stage',
      'p.translations',
      'p.icon_sha256',
      'p.moby_api_url',
      'p.moby_roles',
      'p.mini_app_rights',
      'd.link_id',
      apiKeyEnd(sql.ref('p.id')).as('key_end'),
    ])

export type ProviderRow = Awaited<ReturnType<typeof findProvider>> & object

/** Providers that the user belongs to, generic one first. */
export const listProviders = (db: CedarDb, userId: string) =>
  selectProviders(db)
    .innerJoin('cedar.provider_user as u', 'u.provider_id', 'p.id')
    .where('u.user_id', '=', userId)
    .orderBy('p.is_default', 'desc')
    .orderBy('p.created_at')
    .orderBy('p.id')
    .execute()

/** The provider, if the user belongs to it; without a user, anyone's. */
export const findProvider = (db: CedarDb, id: string, userId: string | undefined) =>
  selectProviders(db)
    .where('p.id', '=', id)
    .where((where) =>
      userId === undefined
        ? where.lit(true)
        : where.exists(
            where
              .selectFrom('cedar.provider_user as u')
              .select('u.user_id')
              .whereRef('u.provider_id', '=', 'p.id')
              .where('u.user_id', '=', userId),
          ),
    )
    .executeTakeFirst()

export const findGenericProviderId = (db: CedarDb, ownerId: string) =>
  db
    .selectFrom('cedar.provider')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('is_default', '=', true)
    .executeTakeFirst()

/** The names, and the texts for sorting and search. */
export const nameColumns = (translations: Provider['translations']) => ({
  translations: JSON.stringify(translations),
  sort_name: searchable(inLocale(translations)?.name ?? ''),
  search_text: translations.map(({ name }) => searchable(name)).join('\n'),
})

/** @returns false if the owner already has a generic provider. */
export async function insertProvider(db: CedarDb, provider: NewProvider): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('cedar.provider')
    .values({
      id: provider.id,
      owner_id: provider.ownerId,
      is_default: provider.isDefault,
      ...(provider.stage && { stage: provider.stage }),
      ...nameColumns(provider.translations),
    })
    .onConflict((conflict) =>
      conflict
        .column('owner_id')
        .where(sql<SqlBool>`is_default`)
        .doNothing(),
    )
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

export const insertProviderUser = (
  db: CedarDb,
  user: { provider_id: string; user_id: string; is_owner: boolean },
) => db.insertInto('cedar.provider_user').values(user).execute()

/**
 * Counts one more product and locks the provider; false at the limit.
 * @param limit for a provider without its own.
 */
export async function reserveProductQuota(
  db: CedarDb,
  id: string,
  limit: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('cedar.provider')
    .set({ product_count: sql`product_count + 1` })
    .where('id', '=', id)
    .where(
      'product_count',
      '<',
      sql<number>`coalesce((limits ->> 'products')::integer, ${limit}::integer)`,
    )
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** The provider's own limits, and its number of products. */
export const findLimits = (db: CedarDb, id: string) =>
  db
    .selectFrom('cedar.provider')
    .select(['limits', 'product_count'])
    .where('id', '=', id)
    .executeTakeFirst()

export const releaseProductQuota = (db: CedarDb, id: string) =>
  db
    .updateTable('cedar.provider')
    .set({ product_count: sql`product_count - 1` })
    .where('id', '=', id)
    .execute()

/** The number of providers that someone owns besides the personal one. */
export async function countOwned(db: CedarDb, ownerId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from cedar.provider
    where owner_id = ${ownerId} and not is_default`.execute(db)
  return rows[0]?.count ?? 0
}

export const lockProvider = (db: CedarDb, id: string) =>
  db.selectFrom('cedar.provider').select('id').where('id', '=', id).forUpdate().execute()

export const setProviderIcon = (db: CedarDb, id: string, sha256: string) =>
  db
    .updateTable('cedar.provider')
    .set({ icon_sha256: sha256, revision: sql`revision + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .execute()
