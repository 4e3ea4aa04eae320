import { sql, type RawBuilder } from 'kysely'
import type { CatalogueProductDetails } from '@grove/contract/cedar/catalogue'
import type { LocaleCode } from '@grove/contract/locale.rules'
import { versionNumber } from '../product-version/version-facts.ts'
import type { CedarDb } from '../tables.ts'

export interface LinkedRow {
  link_id: string
  /** Null after the product is deleted. */
  product_id: string | null
  is_removed: boolean
  is_pinned: boolean
  target: string
  is_enabled: boolean
  is_live: boolean
  /** Changes with every field of the public view. */
  revision: string
  icon_sha256: string | null
  provider: CatalogueProductDetails['provider']
  /** Null if there is none to open. */
  version_id: string | null
  version: string
  released_at: string
  translations: CatalogueProductDetails['translations']
  package_sha256: string
  bytes: number
  images: { localeCode: LocaleCode; sha256: string; width: number; height: number }[]
}

/** A link with its target, each found through one index entry. */
const linked = sql`
  cedar.link l
  left join cedar.product p on p.id = l.product_id
  left join cedar.provider r on r.id = p.provider_id
  left join cedar.product_version live on live.product_id = p.id and live.enabled
  left join cedar.product_version v
    on v.id = case when l.is_pinned then l.version_id else live.id end`

const revision = sql<string>`concat_ws(' ', l.removed_at, p.id, p.updated_at, r.revision,
  r.updated_at, r.enabled, live.id, v.id, v.revision, v.updated_at, v.package_sha256)`

export async function findLinked(db: CedarDb, linkId: string): Promise<LinkedRow | undefined> {
  const { rows } = await sql<LinkedRow>`
    select l.id as link_id, l.product_id, l.removed_at is not null as is_removed, l.is_pinned,
      l.target, coalesce(r.enabled, false) as is_enabled, live.id is not null as is_live,
      ${revision} as revision, p.icon_sha256,
      case when not r.is_default
        then jsonb_build_object('translations', r.translations) end as provider,
      v.id as version_id, ${versionNumber} as version, v.enabled_at as released_at,
      v.translations, v.package_sha256, o.bytes, coalesce((
        select jsonb_agg(jsonb_build_object('localeCode', i.locale_code, 'sha256', i.sha256,
            'width', io.width, 'height', io.height) order by i.locale_code, i.position, i.id)
        from cedar.version_image i join cedar.object io on io.sha256 = i.sha256
        where i.version_id = v.id
      ), '[]'::jsonb) as images
    from ${linked}
    left join cedar.object o on o.sha256 = v.package_sha256
    where l.id = ${linkId}`.execute(db)
  return rows[0]
}

/** Only the revision, for a link whose view is cached. */
export async function findRevision(db: CedarDb, linkId: string): Promise<string | undefined> {
  const { rows } = await sql<{ revision: string }>`
    select ${revision} as revision from ${linked} where l.id = ${linkId}`.execute(db)
  return rows[0]?.revision
}

interface NewLink {
  id: string
  productId: string
  versionId?: string | undefined
  target?: string | undefined
}

/** Violates `link_pkey` if the id was issued before. */
export const insertLink = (db: CedarDb, { id, productId, versionId, target = '/' }: NewLink) =>
  db
    .insertInto('cedar.link')
    .values({
      id,
      product_id: productId,
      is_pinned: versionId !== undefined,
      version_id: versionId ?? null,
      target,
    })
    .execute()

/** The link with the same target, if any. */
export const findSame = (
  db: CedarDb,
  { productId, versionId, target }: { productId: string; versionId: string | null; target: string },
) =>
  db
    .selectFrom('cedar.link')
    .select('id')
    .where('product_id', '=', productId)
    .where('is_pinned', '=', versionId !== null)
    .where('version_id', versionId === null ? 'is' : '=', versionId)
    .where('target', '=', target)
    .where('removed_at', 'is', null)
    .executeTakeFirst()

/** Removes a link of the product permanently. @returns false if it has no such link. */
export async function closeLink(db: CedarDb, productId: string, linkId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('cedar.link')
    .set({ removed_at: sql`now()` })
    .where('id', '=', linkId)
    .where('product_id', '=', productId)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function countLinks(db: CedarDb, productId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from cedar.link
    where product_id = ${productId} and removed_at is null`.execute(db)
  return rows[0]?.count ?? 0
}

interface ProductLinkRow {
  id: string
  target: string
  is_pinned: boolean
  version_id: string | null
  version: string
  opens: number
  created_at: string
}

const today = sql`(now() at time zone 'utc')::date`

/** Newest first; a product has few. */
export async function listLinks(db: CedarDb, productId: string): Promise<ProductLinkRow[]> {
  const { rows } = await sql<ProductLinkRow>`
    select l.id, l.target, l.is_pinned, l.version_id, ${versionNumber} as version, l.created_at,
      (select coalesce(sum(o.opens), 0)::float8 from cedar.link_open o
        where o.link_id = l.id and o.day > ${today} - 7) as opens
    from cedar.link l left join cedar.product_version v on v.id = l.version_id
    where l.product_id = ${productId} and l.removed_at is null
      and (v.id is not null or not l.is_pinned)
    order by l.created_at desc, l.id`.execute(db)
  return rows
}

/** How often the product's links were opened in the last 7 days: 7 index entries per link. */
export const opensOfWeek = (productId: RawBuilder<unknown>) => sql<number>`(
  select coalesce(sum(o.opens), 0)::float8 from cedar.link_open o
  where o.product_id = ${productId} and o.day > ${today} - 7)`

/** One row for each of the last days, today last. */
export async function listOpens(db: CedarDb, productId: string, days: number) {
  const { rows } = await sql<{ day: string; opens: number }>`
    select to_char(d.day, 'YYYY-MM-DD') as day, coalesce(sum(o.opens), 0)::float8 as opens
    from generate_series(${today} - ${days}::integer + 1, ${today}, interval '1 day') as d (day)
    left join cedar.link_open o on o.product_id = ${productId} and o.day = d.day::date
    group by d.day order by d.day`.execute(db)
  return rows
}

export interface Opens {
  linkId: string
  productId: string
  /** A UTC day, such as `2026-11-22`. */
  day: string
  count: number
}

/** Adds to the counts of other processes; rows in a fixed order, to avoid deadlocks. */
export const addOpens = (db: CedarDb, opens: readonly Opens[]) =>
  sql`
  insert into cedar.link_open (link_id, day, product_id, opens)
  select link_id, day::date, product_id::uuid, opens::bigint
  from jsonb_to_recordset(${JSON.stringify(
    opens.map((each) => ({
      link_id: each.linkId,
      product_id: each.productId,
      day: each.day,
      opens: each.count,
    })),
  )}::jsonb) as t (link_id text, day text, product_id text, opens bigint)
  order by link_id, day
  on conflict (link_id, day) do update set opens = link_open.opens + excluded.opens`.execute(db)

/** @returns how many rows were deleted, at most a thousand. */
export async function deleteOldOpens(db: CedarDb, keepDays: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from cedar.link_open where (link_id, day) in (
      select link_id, day from cedar.link_open
      where day < ${today} - ${keepDays}::integer order by day limit 1000)`.execute(db)
  return Number(numAffectedRows)
}
