import { randomUUID } from 'node:crypto'
import type { Calls } from '@grove/contract/calls'
import type { Product } from '@grove/contract/cedar/product'
import type { QueryOf } from '@grove/contract/call'
import { ProblemError } from '../../../core/http/problem.ts'
import type { Actor } from '../../../core/actor.ts'
import type { Change } from '../../../core/events/define-events.ts'
import { record, type CedarAction, type CedarContext, visibleTo } from '../context.ts'
import { withoutRights } from '../../../core/policy.ts'
import { assertAllowed, rightsOf } from '../cedar.rules.ts'
import { imageUrl } from '../parts/image-url.ts'
import { catalogueLimits, limitReached, limitsInForce } from '../parts/limits.ts'
import {
  findLimits,
  releaseProductQuota,
  lockProvider,
  reserveProductQuota,
} from '../provider/provider.queries.ts'
import { ensureGenericProvider, requireProvider } from '../provider/provider.service.ts'
import type { CedarDb } from '../tables.ts'
import { checkTranslations, searchable, searchTextOf, titleOf } from '../parts/translations.ts'
import {
  deleteProduct as deleteRow,
  findProduct,
  insertProduct,
  lockProduct,
  productList,
  setDefaultProduct,
  updateTitles,
  type ProductRow,
  type ProductTitles,
} from './product.queries.ts'

export async function listProducts(
  context: CedarContext,
  actor: Actor,
  query: QueryOf<Calls['GET /api/developer/product']>,
) {
  const { providerId } = query
  if (providerId !== undefined) await requireProvider(context, actor, { id: providerId })
  const of = providerId === undefined ? { userId: actor.id } : { providerId }
  const page = await productList.read(context.db, query, of)
  return { ...page, items: page.items.map((row) => toProduct(actor, row)) }
}

export interface ProductId {
  id: string
}

interface ProductChange extends ProductId {
  translations: Product['translations']
  /** The revision that the change is based on. */
  revision?: number | undefined
}

interface NewProduct {
  /** Default: the actor's generic provider. */
  providerId?: string | undefined
  translations: Product['translations']
}

export async function createProduct(
  context: CedarContext,
  actor: Actor,
  { providerId, translations }: NewProduct,
): Promise<Product> {
  const db = context.db
  const titles = titlesOf(translations)
  const owner =
    providerId === undefined
      ? await ensureGenericProvider(context, actor)
      : (await requireProvider(context, actor, { id: providerId })).id
  const id = randomUUID()
  return db.transaction().execute(async (transaction) => {
    if (!(await reserveProductQuota(transaction, owner, catalogueLimits.products))) {
      const found = await findLimits(transaction, owner)
      const limit = limitsInForce(context.settings, found?.limits ?? {}).products
      throw limitReached('products', { used: found?.product_count ?? limit, limit })
    }
    await insertProduct(transaction, { id, providerId: owner, titles })
    await record(transaction, actor, 'product.create', id, {
      after: { providerId: owner, translations: titles.translations },
    })
    return requireProduct({ db: transaction }, actor, { id })
  })
}

/** @throws ProblemError `not_found`, also for another owner's product. */
export async function requireProduct(
  { db }: Pick<CedarContext, 'db'>,
  actor: Actor,
  { id }: ProductId,
): Promise<Product> {
  const row = await findProduct(db, id, visibleTo(actor))
  if (!row) throw new ProblemError('not_found', 'The product does not exist.')
  return toProduct(actor, row)
}

export const getProduct = (
  context: CedarContext,
  actor: Actor,
  { id }: ProductId,
): Promise<Product> => requireProduct(context, actor, { id })

export const updateProduct = (
  context: CedarContext,
  actor: Actor,
  { id, revision, translations }: ProductChange,
): Promise<Product> =>
  changeProduct(context, actor, {
    id,
    action: 'product.update',
    change: async (db) => {
      if (!(await updateTitles(db, id, revision, titlesOf(translations))))
        throw new ProblemError(
          'edit_conflict',
          'Someone else changed the product after you read it; read it again and repeat the change.',
        )
    },
  })

/** Deletes a product with its versions; their packages are deleted once unreferenced. */
export async function deleteProduct(
  context: CedarContext,
  actor: Actor,
  { id }: ProductId,
): Promise<void> {
  const { providerId } = await getProduct(context, actor, { id })
  await context.db.transaction().execute(async (db) => {
    // The provider before the product, as everywhere, to avoid deadlocks.
    await lockProvider(db, providerId)
    await lockProduct(db, id)
    const product = await requireProduct({ db }, actor, { id })
    assertAllowed(actor, 'product.delete', product)
    // The event needs the product to find its provider.
    await record(db, actor, 'product.delete', id, { before: withoutRights(product) })
    await releaseProductQuota(db, product.providerId)
    await deleteRow(db, id)
  })
}

/** Makes it the product that the provider's link opens. */
export async function makeDefaultProduct(context: CedarContext, actor: Actor, { id }: ProductId) {
  const { providerId } = await getProduct(context, actor, { id })
  return changeProduct(context, actor, {
    id,
    action: 'product.default',
    change: (db) => setDefaultProduct(db, providerId, id),
    lockFirst: (db) => lockProvider(db, providerId),
  })
}

interface Changing extends ProductId {
  action: CedarAction
  change: (db: CedarDb) => Promise<unknown>
  /** Locked before the product. */
  lockFirst?: (db: CedarDb) => Promise<unknown>
  /** What is recorded, if the product itself does not say it. */
  facts?: Change
}

/** Runs a change in a transaction and records the product before and after. */
export function changeProduct(
  context: CedarContext,
  actor: Actor,
  { id, action, change, lockFirst, facts }: Changing,
): Promise<Product> {
  return context.db.transaction().execute(async (db) => {
    await lockFirst?.(db)
    await lockProduct(db, id)
    const before = await requireProduct({ db }, actor, { id })
    await change(db)
    const after = await requireProduct({ db }, actor, { id })
    const changed = { before: withoutRights(before), after: withoutRights(after) }
    await record(db, actor, action, id, facts ?? changed)
    return after
  })
}

function titlesOf(given: Product['translations']): ProductTitles {
  const translations = checkTranslations(given)
  return {
    translations,
    sortTitle: searchable(titleOf(translations)),
    searchText: searchTextOf(translations),
  }
}

function toProduct(actor: Actor, row: ProductRow): Product {
  const facts = {
    productId: row.id,
    providerId: row.provider_id,
    translations: row.translations,
    iconUrl: imageUrl(row.icon_sha256),
    isDefault: row.is_default,
    linkId: row.link_id,
    opens7d: row.opens_week,
    liveVersion: row.live,
    newestVersion: row.newest,
    versionCount: row.version_count,
    versionLimit: row.version_limit,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
  const names = { delete: 'product.delete', createVersion: 'version.create' } as const
  return { ...facts, rights: rightsOf(actor, facts, names) }
}
