import type { Calls } from '@grove/contract/calls'
import type { CatalogueProductDetails } from '@grove/contract/cedar/catalogue'
import type { QueryOf } from '@grove/contract/call'
import type { AnyActor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import type { CedarContext } from '../context.ts'
import { imageUrl } from '../parts/image-url.ts'
import { catalogueList, findReleased, type ReleasedRow } from './catalogue.queries.ts'

/** Live apps, for anyone. */
export async function listCatalogue(
  context: CedarContext,
  _actor: AnyActor,
  query: QueryOf<Calls['GET /api/catalogue/product']>,
) {
  const page = await catalogueList.read(context.db, query)
  return {
    ...page,
    items: page.items.map((row) => ({ ...facts(row), translations: row.translations })),
  }
}

/** @throws ProblemError `not_found`, also for a product that is not live. */
export async function getFromCatalogue(
  context: CedarContext,
  _actor: AnyActor,
  { id: productId }: { id: string },
): Promise<CatalogueProductDetails> {
  const row = await findReleased(context.db, productId)
  if (!row) throw new ProblemError('not_found', 'The app is not in the catalogue.')
  return {
    ...facts(row),
    translations: row.translations,
    images: row.images.map(({ sha256, ...image }) => ({ ...image, url: imageUrl(sha256) })),
    bytes: row.bytes,
  }
}

const facts = (row: Omit<ReleasedRow, 'translations'>) => ({
  productId: row.product_id,
  iconUrl: imageUrl(row.icon_sha256),
  provider: row.provider,
  version: row.version,
  releasedAt: row.released_at,
})
