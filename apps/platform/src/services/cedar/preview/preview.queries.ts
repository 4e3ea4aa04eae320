import { sql } from 'kysely'
import type { CedarDb } from '../tables.ts'

/** The current package of a version, and its provider's rights. */
export const findPreviewed = (db: CedarDb, versionId: string) =>
  db
    .selectFrom('cedar.product_version as v')
    .innerJoin('cedar.product as p', 'p.id', 'v.product_id')
    .innerJoin('cedar.provider as o', 'o.id', 'p.provider_id')
    .select(['v.package_sha256 as sha256', 'o.mini_app_rights as rights'])
    .where('v.id', '=', versionId)
    .executeTakeFirst()

export const findPreviewLimits = (db: CedarDb, productId: string) =>
  db
    .selectFrom('cedar.product')
    .innerJoin('cedar.provider', 'cedar.provider.id', 'cedar.product.provider_id')
    .select(['cedar.provider.id', 'cedar.provider.limits'])
    .where('cedar.product.id', '=', productId)
    .executeTakeFirst()

/** Counts one more preview for this hour; false at the limit. */
export async function countPreview(
  db: CedarDb,
  providerId: string,
  limit: number,
): Promise<boolean> {
  if (limit === 0) return false
  const hour = sql`date_trunc('hour', now(), 'UTC')`
  const { rows } = await sql`
    insert into cedar.preview_use as u (provider_id, hour, used) values (${providerId}, ${hour}, 1)
    on conflict (provider_id) do update
      set used = case when u.hour = excluded.hour then u.used + 1 else 1 end, hour = excluded.hour
      where u.hour <> excluded.hour or u.used < ${limit}
    returning used`.execute(db)
  return rows.length > 0
}
