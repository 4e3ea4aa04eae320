import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { MapleProduct } from '@grove/contract/maple/connect/product'
import type { QueryOf } from '@grove/contract/call'
import { deviceStates, type DeviceState } from '@grove/contract/maple/fleet/device.rules'
import {
  mapleProductSearchLimit as searchLimit,
  mapleProductSorting,
  productCountLimit as countLimit,
  type MapleProductState,
} from '@grove/contract/maple/connect/product.rules'
import { defineList, type ListPage } from '../../../../core/database/define-list.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import { enumArray } from '../../fleet/device/device-filter.ts'
import { nameKey } from '../../../../core/database/name-key.ts'
import { searchByName } from '../../base/name-search.ts'
import type { MapleDb } from '../../base/tables.ts'

/** A product as it is stored; what may be done to it depends on the reader. */
export type ProductFacts = Omit<MapleProduct, 'rights'> & {
  /** The state of its default image, for the rules. */
  imageState: string | null
}
type ProductRow = ProductFacts & { nameKey: string }

const columns = sql`
  product.id, product.service_id as "serviceId", product.name, product.name_key as "nameKey",
  product.model, product.revisions, product.state, product.profile_id as "profileId",
  product.image_id as "imageId", product.handler_id as "handlerId", product.created_by as "createdBy", product.revision,
  (select state from maple.binary_image where id = product.image_id) as "imageState",
  product.created_at as "createdAt", product.updated_at as "updatedAt"`

function factsOf(row: ProductRow): ProductFacts {
  const { nameKey: _, ...facts } = row
  return facts
}

type ProductQuery = QueryOf<Calls['GET /api/maple/products']>

const isFound = searchByName({
  row: sql`product.id`,
  table: sql`maple.product`,
  limit: searchLimit,
  others: { model_key: nameKey },
})

const productList = defineList({
  name: 'product',
  sorts: { createdAt: ['created_at', 'timestamp'], name: ['name_key', 'text'] },
  sorting: mapleProductSorting,
  tiebreak: ['id', 'uuid'],
  filters: {
    id: (id) => sql`product.id = ${id}`,
    state: (state) => sql`product.state = ${state}::maple.product_state`,
  },
  keys: (row: ProductRow, sort) => [sort === 'name' ? row.nameKey : row.createdAt, row.id],
  rows: (
    db: MapleDb,
    { query, where, orderBy, limit }: ListPage<ProductQuery, 'createdAt' | 'name'>,
    scope: Scope,
  ) =>
    sql<ProductRow>`
      select ${columns} from maple.product as product
      where ${inScope(scope, 'product.service_id')} and ${isFound(query.q, scope)}
        and ${where('product')}
      order by ${orderBy('product')} limit ${sql.lit(limit)}`.execute(db),
})

/** One page of the products of a scope. @throws BadCursorError */
export async function readProducts(db: MapleDb, query: ProductQuery, scope: Scope) {
  const page = await productList.read(db, query, scope)
  return { ...page, items: page.items.map(factsOf) }
}

export async function findProduct(
  db: MapleDb,
  id: string,
  scope: Scope,
): Promise<ProductFacts | undefined> {
  const { rows } = await sql<ProductRow>`
    select ${columns} from maple.product as product
    where product.id = ${id} and ${inScope(scope, 'product.service_id')}`.execute(db)
  return rows[0] && factsOf(rows[0])
}

/** Locks the product for the transaction. */
export async function lockProduct(db: MapleDb, id: string, scope: Scope) {
  await sql`select from maple.product where id = ${id} for update`.execute(db)
  return findProduct(db, id, scope)
}

/** Keeps its state for the transaction; others may lock it likewise. */
export async function shareProduct(db: MapleDb, id: string, scope: Scope) {
  await sql`select from maple.product where id = ${id} for share`.execute(db)
  return findProduct(db, id, scope)
}

export type ProductValues = Pick<
  ProductFacts,
  'name' | 'model' | 'revisions' | 'profileId' | 'imageId' | 'handlerId'
>

export async function insertProduct(
  db: MapleDb,
  { serviceId, createdBy }: Pick<ProductFacts, 'serviceId' | 'createdBy'>,
  { name, model, revisions, profileId, imageId, handlerId }: ProductValues,
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into maple.product (service_id, name, name_key, model, model_key, revisions, profile_id,
      image_id, handler_id, created_by)
    values (${serviceId}, ${name}, ${nameKey(name)}, ${model}, ${keyOf(model)}, ${revisions}::text[],
      ${profileId}, ${imageId}, ${handlerId}, ${createdBy})
    returning id`.execute(db)
  const [row] = rows
  if (!row) throw new Error('An insert without a condition answers its row.')
  return row.id
}

const keyOf = (model: string | null) => model && nameKey(model)

export const updateProduct = (
  db: MapleDb,
  id: string,
  { name, model, revisions, profileId, imageId, handlerId }: ProductValues,
) =>
  sql`
    update maple.product set name = ${name}, name_key = ${nameKey(name)}, model = ${model},
      model_key = ${keyOf(model)}, revisions = ${revisions}::text[], profile_id = ${profileId},
      image_id = ${imageId}, handler_id = ${handlerId}, revision = revision + 1, updated_at = now()
    where id = ${id}`.execute(db)

export const setProductState = (db: MapleDb, id: string, state: MapleProductState) =>
  sql`
    update maple.product set state = ${state}::maple.product_state, revision = revision + 1,
      updated_at = now()
    where id = ${id}`.execute(db)

/** Its images are then for any product. */
export async function deleteProduct(db: MapleDb, id: string): Promise<void> {
  await sql`update maple.binary_image set product_id = null where product_id = ${id}`.execute(db)
  await sql`delete from maple.product where id = ${id}`.execute(db)
}

export async function countProducts(db: MapleDb, serviceId: string | null): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from maple.product
    where service_id is not distinct from ${serviceId}`.execute(db)
  return rows[0]?.count ?? 0
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
