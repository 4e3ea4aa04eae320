import { sql } from 'kysely'
import { isUuid } from './uuid.ts'

const versionProduct = (id: string) =>
  sql`(select v.product_id from cedar.product_version v where v.id = ${id}::uuid)`

/**
 * The product and the provider that an object belongs to, as the columns of its events: by them the
 * people of a provider find what happened. Ids are unique across tables, so the id alone is enough.
 */
export const ownersOf = (id: string) =>
  isUuid(id)
    ? {
        product_id: sql`coalesce(
          (select d.id from cedar.product d where d.id = ${id}::uuid), ${versionProduct(id)})`,
        provider_id: sql`coalesce(
          (select p.id from cedar.provider p where p.id = ${id}::uuid),
          (select d.provider_id from cedar.product d where d.id = ${id}::uuid),
          (select d.provider_id from cedar.product d where d.id = ${versionProduct(id)}))`,
      }
    : { product_id: sql`null`, provider_id: sql`null` }
