import { sql, type RawBuilder } from 'kysely'

const uuid = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'

/**
 * The product and the provider that an object belongs to, as the columns of its events, by which a
 * provider's members find them. Ids are unique across tables, so the id alone is enough.
 */
export function ownersOf(subject: RawBuilder<unknown>) {
  const id = sql`case when ${subject}::text ~* ${sql.lit(uuid)} then ${subject}::text::uuid end`
  const versionProduct = sql`(select v.product_id from cedar.product_version v where v.id = ${id})`
  return {
    product_id: sql`coalesce(
      (select d.id from cedar.product d where d.id = ${id}), ${versionProduct})`,
    provider_id: sql`coalesce(
      (select p.id from cedar.provider p where p.id = ${id}),
      (select d.provider_id from cedar.product d where d.id = ${id}),
      (select d.provider_id from cedar.product d where d.id = ${versionProduct}))`,
  }
}
