import { sql, type RawBuilder } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { Product } from '@grove/contract/cedar/product'
import type { QueryOf } from '@grove/contract/call'
import { productSorting } from '@grove/contract/cedar/product.rules'
import type { SortOf } from '@grove/contract/page.rules'
import { defineList, type ListPage } from '../../../core/database/define-list.ts'
import { opensOfWeek } from '../link/link.queries.ts'
import { versionNumber, versionState } from '../product-version/version-facts.ts'
import { catalogueLimits } from '../parts/limits.ts'
import type { CedarDb } from '../tables.ts'
import { containsText } from '../parts/text-search.queries.ts'

export interface ProductRow {
  id: string
  provider_id: string
  translations: Product['translations']
  sort_title: string
  icon_sha256: string | null
  is_default: boolean
  link_id: string | null
  opens_week: number
  version_count: number
  version_limit: number
  live: Product['liveVersion']
  newest: Product['newestVersion']
  revision: number
  created_at: string
  updated_at: string
}

type ProductQuery = QueryOf<Calls['GET /api/developer/product']>

/** Products of one provider, or of every provider that a user belongs to. */
type ProductScope = { providerId: string } | { userId: string }

/** A product with its live and its newest version, each found through one index entry. */
const withVersions = (products: RawBuilder<unknown>) => sql<ProductRow>`
  select p.id, p.provider_id, p.translations, p.sort_title, p.icon_sha256, p.is_default, p.link_id,
    p.version_count, p.revision, p.created_at, p.updated_at,
    ${opensOfWeek(sql`p.id`)} as opens_week,
    coalesce((r.limits ->> 'versionsPerProduct')::integer, ${catalogueLimits.versionsPerProduct}::integer)
      as version_limit,
    live.summary as live, newest.summary as newest
  from (${products}) p
  join cedar.provider r on r.id = p.provider_id
  left join lateral (
    select ${summary} as summary from cedar.product_version v
    where v.product_id = p.id and v.enabled
  ) live on true
  left join lateral (
    select ${summary} as summary from cedar.product_version v
    where v.product_id = p.id
    order by v.major desc, v.minor desc, v.patch desc limit 1
  ) newest on true`

const summary = sql`jsonb_build_object(
  'productVersionId', v.id, 'version', ${versionNumber}, 'state', ${versionState},
  'locales', coalesce((
    select jsonb_agg(t -> 'localeCode') from jsonb_array_elements(v.translations) t
    where t ->> 'title' <> '' and t ->> 'description' <> ''), '[]'))`

/**
 * Each provider is read in order through its own index up to the page size, so the cost follows the
 * page and the user's providers, not the table.
 */
export const productList = defineList({
  name: 'product',
  sorts: {
    title: ['sort_title', 'text'],
    updatedAt: ['updated_at', 'timestamp'],
    createdAt: ['created_at', 'timestamp'],
  },
  sorting: productSorting,
  tiebreak: ['id', 'uuid'],
  filters: {
    q: (text) => containsText(sql`p.search_text`, text),
    status: (status) => sql`${status === 'live' ? sql`` : sql`not`} exists (
      select from cedar.product_version v where v.product_id = p.id and v.enabled)`,
  },
  keys: (row, sort) => [row[sortKeys[sort]], row.id],
  rows: (
    db: CedarDb,
    { where, orderBy, limit }: ListPage<ProductQuery, SortOf<typeof productSorting>>,
    of: ProductScope,
  ) => {
    const providers =
      'providerId' in of
        ? sql`select ${of.providerId}::uuid as provider_id`
        : sql`select provider_id from cedar.provider_user where user_id = ${of.userId}`
    const page = sql`
      select found.* from (${providers}) owned
      cross join lateral (
        select p.* from cedar.product p
        where p.provider_id = owned.provider_id and ${where('p')}
        order by ${orderBy('p')} limit ${limit}
      ) found
      order by ${orderBy('found')} limit ${limit}`
    return sql<ProductRow>`${withVersions(page)} order by ${orderBy('p')}`.execute(db)
  },
})

const sortKeys = {
  title: 'sort_title',
  updatedAt: 'updated_at',
  createdAt: 'created_at',
} as const satisfies Record<SortOf<typeof productSorting>, keyof ProductRow>

/** The product, if the user belongs to its provider; without a user, anyone's. */
export async function findProduct(
  db: CedarDb,
  id: string,
  userId: string | undefined,
): Promise<ProductRow | undefined> {
  const product = sql`
    select p.* from cedar.product p
    where p.id = ${id} and ${isVisible(sql.ref('p.provider_id'), userId)}`
  const { rows } = await withVersions(product).execute(db)
  return rows[0]
}

/** Whether a user belongs to the provider in the column; true for everyone's objects. */
export const isVisible = (providerId: RawBuilder<unknown>, userId: string | undefined) =>
  userId === undefined
    ? sql<boolean>`true`
    : sql<boolean>`exists (select from cedar.provider_user u
        where u.user_id = ${userId} and u.provider_id = ${providerId})`

interface NewProduct {
  id: string
  providerId: string
  titles: ProductTitles
}

export interface ProductTitles {
  translations: Product['translations']
  sortTitle: string
  searchText: string
}

const titleColumns = ({ translations, sortTitle, searchText }: ProductTitles) => ({
  translations: JSON.stringify(translations),
  sort_title: sortTitle,
  search_text: searchText,
})

export const insertProduct = (db: CedarDb, { id, providerId, titles }: NewProduct) =>
  db
    .insertInto('cedar.product')
    .values({ id, provider_id: providerId, ...titleColumns(titles) })
    .execute()

/** @returns false if the product is gone or, with a revision given, has changed since. */
export async function updateTitles(
  db: CedarDb,
  id: string,
  revision: number | undefined,
  titles: ProductTitles,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('cedar.product')
    .set({ ...titleColumns(titles), revision: sql`revision + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .$if(revision !== undefined, (query) => query.where('revision', '=', revision ?? 0))
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Locks the product and its versions; false if it is gone. */
export async function lockProduct(db: CedarDb, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('cedar.product')
    .select('id')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** Versions and their images are deleted with it. */
export const deleteProduct = (db: CedarDb, id: string) =>
  db.deleteFrom('cedar.product').where('id', '=', id).execute()

// `revision` protects the titles, which a save replaces; nothing else here can undo someone's edit.
const isChanged = { updated_at: sql<string>`now()` }

export async function setDefaultProduct(db: CedarDb, providerId: string, id: string) {
  await db
    .updateTable('cedar.product')
    .set({ is_default: false, ...isChanged })
    .where('provider_id', '=', providerId)
    .where('is_default', '=', true)
    .where('id', '!=', id)
    .execute()
  await db
    .updateTable('cedar.product')
    .set({ is_default: true, ...isChanged })
    .where('id', '=', id)
    .where('is_default', '=', false)
    .execute()
}

export const setLink = (db: CedarDb, id: string, linkId: string | null) =>
  db
    .updateTable('cedar.product')
    .set({ link_id: linkId, ...isChanged })
    .where('id', '=', id)
    .execute()

export const setProductIcon = (db: CedarDb, id: string, sha256: string) =>
  db
    .updateTable('cedar.product')
    .set({ icon_sha256: sha256, ...isChanged })
    .where('id', '=', id)
    .execute()

/** Updates the product's "last changed", because its versions changed. */
export const touchProduct = (db: CedarDb, id: string) =>
  db
    .updateTable('cedar.product')
    .set({ updated_at: sql`now()` })
    .where('id', '=', id)
    .execute()

/** Counts one more version of a locked product. */
export const countVersion = (db: CedarDb, id: string) =>
  db
    .updateTable('cedar.product')
    .set({ version_count: sql`version_count + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .execute()

export const releaseVersionQuota = (db: CedarDb, id: string) =>
  db
    .updateTable('cedar.product')
    .set({ version_count: sql`version_count - 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .execute()
