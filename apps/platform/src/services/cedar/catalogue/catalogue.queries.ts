import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { CatalogueProduct, CatalogueProductDetails } from '@grove/contract/cedar/catalogue'
import type { LocaleCode } from '@grove/contract/locale.rules'
import type { QueryOf } from '@grove/contract/call'
import { defineList, type ListPage } from '../../../core/database/define-list.ts'
import { versionNumber } from '../product-version/version-facts.ts'
import type { CedarDb } from '../tables.ts'
import { containsText } from '../parts/text-search.queries.ts'

type CatalogueQuery = QueryOf<Calls['GET /api/catalogue/product']>

export interface ReleasedRow {
  product_id: string
  translations: CatalogueProduct['translations']
  icon_sha256: string | null
  provider: CatalogueProduct['provider']
  version: string
  released_at: string
}

/** Live versions `v` with the public fields of their product and provider. */
const released = sql`
  cedar.product_version v
  join cedar.product p on p.id = v.product_id
  join cedar.provider r on r.id = p.provider_id and r.enabled`

const publicFacts = sql`
  v.product_id, p.icon_sha256, v.enabled_at as released_at, ${versionNumber} as version,
  case when not r.is_default
    then jsonb_build_object('translations', r.translations) end as provider`

/**
 * In order of release. The index of live versions selects the rows, and only the page's rows are read
 * in full: descriptions are long and stored out of line.
 */
export const catalogueList = defineList({
  name: 'catalogue',
  sorts: { releasedAt: ['enabled_at', 'timestamp'] },
  sorting: { default: 'releasedAt', order: 'desc' },
  tiebreak: ['product_id', 'uuid'],
  filters: { q: (text) => containsText(sql`v.search_text`, text) },
  keys: ({ released_at, product_id }) => [released_at, product_id],
  rows: (db: CedarDb, { where, orderBy, limit }: ListPage<CatalogueQuery, 'releasedAt'>) =>
    sql<ReleasedRow>`
    select ${publicFacts}, (
      select jsonb_agg(t.value - 'description' - 'whatsNew' order by t.ordinality)
      from jsonb_array_elements(v.translations) with ordinality as t
    ) as translations
    from (
      select v.product_id from ${released}
      where v.enabled and ${where('v')}
      order by ${orderBy('v')} limit ${limit}
    ) page
    join (${released}) on v.product_id = page.product_id and v.enabled
    order by ${orderBy('v')}`.execute(db),
})

export interface ReleasedDetailsRow extends Omit<ReleasedRow, 'translations'> {
  translations: CatalogueProductDetails['translations']
  images: { localeCode: LocaleCode; sha256: string; width: number; height: number }[]
  bytes: number
}

export async function findReleased(
  db: CedarDb,
  productId: string,
): Promise<ReleasedDetailsRow | undefined> {
  const { rows } = await sql<ReleasedDetailsRow>`
    select ${publicFacts}, v.translations, o.bytes, coalesce((
      select jsonb_agg(jsonb_build_object('localeCode', i.locale_code, 'sha256', i.sha256,
          'width', io.width, 'height', io.height) order by i.locale_code, i.position, i.id)
      from cedar.version_image i join cedar.object io on io.sha256 = i.sha256
      where i.version_id = v.id
    ), '[]'::jsonb) as images
    from ${released}
    join cedar.object o on o.sha256 = v.package_sha256
    where v.product_id = ${productId} and v.enabled`.execute(db)
  return rows[0]
}
