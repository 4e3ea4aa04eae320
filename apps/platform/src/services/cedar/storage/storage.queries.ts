import { sql } from 'kysely'
import type { LocaleCode } from '@grove/contract/locale.rules'
import type { Product } from '@grove/contract/cedar/product'
import type { PackageReport } from '@grove/contract/cedar/package-report'
import { isVisible } from '../product/product.queries.ts'
import type { CedarDb } from '../tables.ts'

interface NewObject {
  sha256: string
  media_type: string
  bytes: number
  width: number | null
  height: number | null
}

/**
 * Announces an object that is about to be stored, so that no sweep deletes it before something
 * references it; if this process dies first, the sweep deletes it later. Returns the announcement's
 * id.
 */
export async function announceObject(db: CedarDb, object: NewObject): Promise<number> {
  await db
    .insertInto('cedar.object')
    .values(object)
    // Changes nothing, but waits for a sweep that is removing the same content.
    .onConflict((conflict) =>
      conflict
        .column('sha256')
        .doUpdateSet({ bytes: (excluded) => excluded.ref('excluded.bytes') }),
    )
    .execute()
  const { id } = await db
    .insertInto('cedar.released_object')
    .values({ sha256: object.sha256, is_announced: true })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Ends an announcement: the sweep may now delete the object if it is unreferenced. */
export const settleObject = (db: CedarDb, id: number) =>
  db
    .updateTable('cedar.released_object')
    .set({ is_announced: false })
    .where('id', '=', id)
    .execute()

/**
 * Bytes of all files of a provider, each counted once: packages, kept refused ones, screenshots and
 * icons.
 */
export async function findProviderBytes(db: CedarDb, providerId: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    with product as (select id, icon_sha256 from cedar.product where provider_id = ${providerId}),
    version as (select v.id, v.package_sha256, v.refused_sha256
      from cedar.product_version v join product on product.id = v.product_id)
    select coalesce(sum(bytes), 0)::float8 as bytes from cedar.object where sha256 in (
      select icon_sha256 from cedar.provider where id = ${providerId}
      union select icon_sha256 from product
      union select package_sha256 from version
      union select refused_sha256 from version
      union select i.sha256 from cedar.version_image i join version on version.id = i.version_id)`.execute(
    db,
  )
  return rows[0]?.bytes ?? 0
}

export interface AppBytes {
  /** Null: files shared by several apps, and those of the provider itself. */
  productId: string | null
  translations: Product['translations'] | null
  bytes: number
}

/** Bytes of files by the only app that uses them, largest first. */
export async function findBytesByApp(db: CedarDb, providerId: string): Promise<AppBytes[]> {
  const { rows } = await sql<AppBytes>`
    with product as (
      select id, icon_sha256, translations from cedar.product where provider_id = ${providerId}),
    version as (select v.id, v.product_id, v.package_sha256, v.refused_sha256
      from cedar.product_version v join product on product.id = v.product_id),
    file (sha256, product_id) as (
      select icon_sha256, id from product
      union select package_sha256, product_id from version
      union select refused_sha256, product_id from version
      union select i.sha256, version.product_id
        from cedar.version_image i join version on version.id = i.version_id
      union select icon_sha256, null::uuid from cedar.provider where id = ${providerId}),
    owned as (
      select sha256, case when count(*) = 1 then min(product_id::text)::uuid end as product_id
      from file where sha256 is not null group by sha256),
    taken as (
      select owned.product_id, sum(object.bytes)::float8 as bytes
      from owned join cedar.object using (sha256) group by owned.product_id)
    select taken.product_id as "productId", product.translations, taken.bytes
    from taken left join product on product.id = taken.product_id
    order by taken.bytes desc, taken.product_id`.execute(db)
  return rows
}

/** Serialises the uploads of a provider until the transaction ends. */
export const lockStorage = (db: CedarDb, providerId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`cedar.storage ${providerId}`}, 0))`.execute(
    db,
  )

export const findProviderOf = (db: CedarDb, productId: string) =>
  db
    .selectFrom('cedar.product')
    .select('provider_id')
    .where('id', '=', productId)
    .executeTakeFirst()

/** An object's kind and size. */
export const findObject = (db: CedarDb, sha256: string) =>
  db
    .selectFrom('cedar.object')
    .select(['media_type', 'bytes'])
    .where('sha256', '=', sha256)
    .executeTakeFirst()

/** Takes the oldest released objects from the list, and announced ones past the grace period. */
export async function takeReleased(db: CedarDb, graceSeconds: number): Promise<string[]> {
  const { rows } = await sql<{ sha256: string }>`
    delete from cedar.released_object where id in (
      select id from cedar.released_object
      where not is_announced or released_at < now() - make_interval(secs => ${graceSeconds})
      order by id limit 100 for update skip locked)
    returning sha256`.execute(db)
  return rows.map(({ sha256 }) => sha256)
}

/** Deletes those that are neither referenced nor announced, and returns them. */
export async function deleteUnreferenced(db: CedarDb, candidates: string[]): Promise<string[]> {
  const among = sql`sha256 = any(${candidates}::text[])`
  // Locked by a separate statement: the next one then sees concurrent changes by uploads.
  await sql`select from cedar.object where ${among} order by sha256 for update`.execute(db)
  const { rows } = await sql<{ sha256: string }>`
    delete from cedar.object o
    where ${among}
      and not exists (select from cedar.released_object r where r.sha256 = o.sha256)
      and not exists (select from cedar.product p where p.icon_sha256 = o.sha256)
      and not exists (select from cedar.provider p where p.icon_sha256 = o.sha256)
      and not exists (select from cedar.product_version v where v.package_sha256 = o.sha256)
      and not exists (select from cedar.product_version v where v.refused_sha256 = o.sha256)
      and not exists (select from cedar.version_image i where i.sha256 = o.sha256)
    returning o.sha256`.execute(db)
  return rows.map(({ sha256 }) => sha256)
}

export const setChecking = (db: CedarDb, versionId: string, isChecking: boolean) =>
  db
    .updateTable('cedar.product_version')
    .set({ checking_since: isChecking ? sql`now()` : null })
    .where('id', '=', versionId)
    .execute()

/**
 * Stores the report on a refused package beside an accepted one; `sha256` if its file is kept too.
 */
export const setRefused = (
  db: CedarDb,
  versionId: string,
  report: PackageReport,
  sha256: string | null,
  keepSeconds: number,
) =>
  db
    .updateTable('cedar.product_version')
    .set({
      refused_report: JSON.stringify(report),
      refused_sha256: sha256,
      refused_until: sha256 && sql`now() + make_interval(secs => ${keepSeconds})`,
      checking_since: null,
      updated_at: sql`now()`,
    })
    .where('id', '=', versionId)
    .execute()

/** Releases the oldest refused files of a provider, so that at most the limit is kept. */
export const limitRefused = (db: CedarDb, productId: string, most: number) =>
  sql`
    update cedar.product_version set refused_sha256 = null, refused_until = null
    where id in (
      select v.id from cedar.product_version v
      where v.refused_sha256 is not null and v.product_id in (
        select p.id from cedar.product p
        where p.provider_id = (select provider_id from cedar.product where id = ${productId}))
      order by v.refused_until desc offset ${most}
      for update of v skip locked)`.execute(db)

/** Releases some refused files whose retention has expired; returns how many. */
export async function expireRefused(db: CedarDb): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update cedar.product_version set refused_sha256 = null, refused_until = null
    where id in (
      select id from cedar.product_version where refused_until < now()
      order by refused_until limit 100 for update skip locked)`.execute(db)
  return Number(numAffectedRows)
}

export const setPackage = (db: CedarDb, versionId: string, sha256: string, report: PackageReport) =>
  db
    .updateTable('cedar.product_version')
    .set({
      package_sha256: sha256,
      package_inflated_bytes: report.inflatedBytes,
      package_files: report.files,
      package_uploaded_at: sql`now()`,
      package_report: JSON.stringify(report),
      refused_report: null,
      refused_sha256: null,
      refused_until: null,
      checking_since: null,
      revision: sql`revision + 1`,
      updated_at: sql`now()`,
    })
    .where('id', '=', versionId)
    .execute()

/**
 * The package to download. The same statement records its first download, which makes it final, so no
 * upload can replace it in between.
 */
export async function takePackage(db: CedarDb, versionId: string) {
  const first = await db
    .updateTable('cedar.product_version')
    .set({ downloaded_at: sql`now()` })
    .where('id', '=', versionId)
    .where('downloaded_at', 'is', null)
    .where('package_sha256', 'is not', null)
    .returning('package_sha256 as sha256')
    .executeTakeFirst()
  return first?.sha256
}

export const insertImage = (
  db: CedarDb,
  image: { id: string; version_id: string; locale_code: LocaleCode; sha256: string },
) =>
  db
    .insertInto('cedar.version_image')
    .values({
      ...image,
      position: sql`coalesce((
        select max(position) + 1 from cedar.version_image
        where version_id = ${image.version_id} and locale_code = ${image.locale_code}), 0)`,
    })
    .execute()

export const orderImages = (db: CedarDb, ids: readonly string[]) =>
  sql`
    update cedar.version_image i set position = o.position
    from unnest(${ids}::uuid[]) with ordinality as o (id, position)
    where i.id = o.id`.execute(db)

export const deleteImage = (db: CedarDb, id: string) =>
  db.deleteFrom('cedar.version_image').where('id', '=', id).execute()

/** The version that an image belongs to, if the user may see it. */
export async function findImageVersion(db: CedarDb, imageId: string, userId: string | undefined) {
  const { rows } = await sql<{ version_id: string }>`
    select i.version_id from cedar.version_image i
    join cedar.product_version v on v.id = i.version_id
    join cedar.product p on p.id = v.product_id
    where i.id = ${imageId} and ${isVisible(sql.ref('p.provider_id'), userId)}`.execute(db)
  return rows[0]?.version_id
}
