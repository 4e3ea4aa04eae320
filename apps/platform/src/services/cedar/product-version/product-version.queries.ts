import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { LocaleCode } from '@grove/contract/locale.rules'
import type { PackageReport } from '@grove/contract/cedar/package-report'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import type { Provider } from '@grove/contract/cedar/provider'
import type { QueryOf } from '@grove/contract/call'
import { defineList, type ListPage } from '../../../core/database/define-list.ts'
import { isVisible } from '../product/product.queries.ts'
import type { CedarDb } from '../tables.ts'
import { searchTextOf } from '../parts/translations.ts'
import { versionNumber, versionState } from './version-facts.ts'

export interface VersionRow {
  id: string
  product_id: string
  version: string
  state: ProductVersion['state']
  enabled: boolean
  enabled_at: string | null
  downloaded_at: string | null
  translations: ProductVersion['translations']
  images: ImageFacts[]
  package_sha256: string | null
  package_bytes: number
  package_inflated_bytes: number
  package_files: number
  package_uploaded_at: string
  package_report: PackageReport | null
  refused_report: PackageReport | null
  refused_sha256: string | null
  refused_until: string | null
  /** Of the provider. */
  mini_app_rights: Provider['miniAppRights']
  revision: number
  created_at: string
  updated_at: string
}

export interface ImageFacts {
  id: string
  localeCode: LocaleCode
  sha256: string
  width: number
  height: number
  bytes: number
}

const selectVersions = sql`
  select v.id, v.product_id, ${versionNumber} as version, ${versionState} as state,
    v.enabled, v.enabled_at, v.downloaded_at, v.translations, v.revision,
    v.package_sha256, o.bytes as package_bytes, v.package_inflated_bytes, v.package_files,
    v.package_uploaded_at, v.package_report, v.refused_report, v.refused_sha256, v.refused_until,
    v.created_at, v.updated_at,
    (
      select r.mini_app_rights from cedar.product d join cedar.provider r on r.id = d.provider_id
      where d.id = v.product_id
    ) as mini_app_rights,
    coalesce((
      select jsonb_agg(jsonb_build_object('id', i.id, 'localeCode', i.locale_code,
          'sha256', i.sha256, 'width', io.width, 'height', io.height, 'bytes', io.bytes)
        order by i.locale_code, i.position, i.id)
      from cedar.version_image i join cedar.object io on io.sha256 = i.sha256
      where i.version_id = v.id
    ), '[]'::jsonb) as images
  from cedar.product_version v
  left join cedar.object o on o.sha256 = v.package_sha256`

export type VersionNumber = readonly [major: number, minor: number, patch: number]

export function parseVersion(version: string): VersionNumber {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  return [major, minor, patch]
}

type VersionQuery = QueryOf<Calls['GET /api/developer/productVersion']>

/** Versions of a product by number: "1.10.0" is higher than "1.9.0". */
export const versionList = defineList({
  name: 'version',
  sorts: { version: ['version', 'version'] },
  sorting: { default: 'version', order: 'desc' },
  tiebreak: ['id', 'uuid'],
  keys: ({ version, id }) => [version, id],
  rows: (db: CedarDb, { query, direction, after, limit }: ListPage<VersionQuery, 'version'>) => {
    const order = sql.raw(direction)
    const than = sql.raw(direction === 'asc' ? '>' : '<')
    const behind =
      after && sql`and (v.major, v.minor, v.patch) ${than} (${sql.join(parseVersion(after.value))})`
    return sql<VersionRow>`
      ${selectVersions}
      where v.product_id = ${query.productId} ${behind ?? sql``}
      order by v.major ${order}, v.minor ${order}, v.patch ${order}
      limit ${limit}`.execute(db)
  },
})

/** The version, if the user belongs to its provider; without a user, anyone's. */
export async function findVersion(
  db: CedarDb,
  id: string,
  userId: string | undefined,
): Promise<VersionRow | undefined> {
  const { rows } = await sql<VersionRow>`
    ${selectVersions}
    join cedar.product p on p.id = v.product_id
    where v.id = ${id} and ${isVisible(sql.ref('p.provider_id'), userId)}`.execute(db)
  return rows[0]
}

/** The highest version number of a product, as three numbers. */
export const findHighest = (db: CedarDb, productId: string) =>
  db
    .selectFrom('cedar.product_version')
    .select(['major', 'minor', 'patch'])
    .where('product_id', '=', productId)
    .orderBy('major', 'desc')
    .orderBy('minor', 'desc')
    .orderBy('patch', 'desc')
    .limit(1)
    .executeTakeFirst()

/**
 * The version from which a new one copies its listing: the live one; if none is live, the one that
 * was live last; if none ever was, the newest. A rolled-back version went live before the one that
 * replaced it did so again, so it never comes first.
 */
export const findListingSource = (db: CedarDb, productId: string) =>
  db
    .selectFrom('cedar.product_version')
    .select(['id', 'translations'])
    .where('product_id', '=', productId)
    .orderBy('enabled', 'desc')
    .orderBy('enabled_at', (order) => order.desc().nullsLast())
    .orderBy('major', 'desc')
    .orderBy('minor', 'desc')
    .orderBy('patch', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Images are shared by hash, so only rows are copied. */
export const copyImages = (db: CedarDb, fromVersionId: string, toVersionId: string) =>
  sql`
    insert into cedar.version_image (id, version_id, locale_code, position, sha256)
    select gen_random_uuid(), ${toVersionId}, locale_code, position, sha256
    from cedar.version_image where version_id = ${fromVersionId}`.execute(db)

interface NewVersion {
  id: string
  productId: string
  number: VersionNumber
  translations: ProductVersion['translations']
}

export const insertVersion = (db: CedarDb, { id, productId, number, translations }: NewVersion) =>
  db
    .insertInto('cedar.product_version')
    .values({
      id,
      product_id: productId,
      major: number[0],
      minor: number[1],
      patch: number[2],
      translations: JSON.stringify(translations),
      search_text: searchTextOf(translations),
    })
    .execute()

const isChanged = { revision: sql<number>`revision + 1`, updated_at: sql<string>`now()` }

export const updateTranslations = (
  db: CedarDb,
  id: string,
  translations: ProductVersion['translations'],
) =>
  db
    .updateTable('cedar.product_version')
    .set({
      translations: JSON.stringify(translations),
      search_text: searchTextOf(translations),
      ...isChanged,
    })
    .where('id', '=', id)
    .execute()

export const disableVersion = (db: CedarDb, id: string) =>
  db
    .updateTable('cedar.product_version')
    .set({ enabled: false, ...isChanged })
    .where('id', '=', id)
    .execute()

/** @returns the previously live version. */
export async function swapLiveVersion(db: CedarDb, productId: string, id: string) {
  const [replaced] = await db
    .updateTable('cedar.product_version')
    .set({ enabled: false, ...isChanged })
    .where('product_id', '=', productId)
    .where('enabled', '=', true)
    .returning(['id', sql<string>`concat(major, '.', minor, '.', patch)`.as('version')])
    .execute()
  await db
    .updateTable('cedar.product_version')
    .set({ enabled: true, enabled_at: sql`now()`, ...isChanged })
    .where('id', '=', id)
    .execute()
  return replaced ?? null
}

export const deleteVersion = (db: CedarDb, id: string) =>
  db.deleteFrom('cedar.product_version').where('id', '=', id).execute()
