import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { MapleProduct } from '@grove/contract/maple/connect/product'
import type { QueryOf } from '@grove/contract/call'
import { deviceStates, type DeviceState } from '@grove/contract/maple/fleet/device.rules'
import {
  mapleProductSearchLimit as searchLimit,
  mapleProductSorting,
  productCountLimit as countLimit,
} from '@grove/contract/maple/connect/product.rules'
import { defineOwned } from '../../../../core/owned/define-owned.ts'
import { enumArray } from '../../fleet/device/device-filter.ts'
import { nameKey } from '../../../../core/database/name-key.ts'
import type { MapleDb } from '../../base/tables.ts'

/** A product as it is stored; what may be done to it depends on the reader. */
export type ProductFacts = Omit<MapleProduct, 'rights'> & {
  /** The state of its default image, for the rules. */
  imageState: string | null
}
export const products = defineOwned<ProductFacts, QueryOf<Calls['GET /api/maple/products']>>({
  table: 'maple.product',
  list: 'product',
  columns: sql`
    product.id, product.service_id as "serviceId", product.name, product.model, product.revisions,
    product.state, product.profile_id as "profileId", product.image_id as "imageId",
    product.handler_id as "handlerId", product.created_by as "createdBy", product.revision,
    (select state from maple.binary_image where id = product.image_id) as "imageState",
    product.created_at as "createdAt", product.updated_at as "updatedAt"`,
  sorting: mapleProductSorting,
  filters: { state: (state) => sql`product.state = ${state}::maple.product_state` },
  searchLimit,
  searched: { model_key: nameKey },
})

export type ProductValues = Pick<
  ProductFacts,
  'name' | 'model' | 'revisions' | 'profileId' | 'imageId' | 'handlerId'
>

export const columnsOf = ({ name, model, revisions, ...ids }: ProductValues) => ({
  name,
  model,
  model_key: model && nameKey(model),
  revisions,
  profile_id: ids.profileId,
  image_id: ids.imageId,
  handler_id: ids.handlerId,
})

/** Its images are then for any product. */
export async function deleteProduct(db: MapleDb, id: string): Promise<void> {
  await sql`update maple.binary_image set product_id = null where product_id = ${id}`.execute(db)
  await products.delete(db, id)
}

export async function hasProfile(db: MapleDb, id: string): Promise<boolean> {
  const { rows } = await sql`select 1 from maple.profile where id = ${id}`.execute(db)
  return rows.length > 0
}

/** The devices of a product in each state, by an index-only scan. */
export async function countDevices(
  db: MapleDb,
  id: string,
): Promise<{ state: DeviceState; value: number; isCapped: boolean }[]> {
  const { rows } = await sql<{ state: DeviceState; count: number }>`
    select of_state as state, count::int
    from unnest(${enumArray('state', deviceStates)}) as of_state, lateral (
      select count(*) as count from (
        select from maple.device where product_id = ${id} and state = of_state
        limit ${sql.lit(countLimit + 1)}
      ) as first
    ) as counted`.execute(db)
  return rows.map(({ state, count }) => ({
    state,
    value: Math.min(count, countLimit),
    isCapped: count > countLimit,
  }))
}
