import type { ProductVersion, Release } from '@grove/contract/cedar/product-version'
import type { QueryOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { Actor } from '../../../core/actor.ts'
import { record, type CedarContext } from '../context.ts'
import { requireProduct } from '../product/product.service.ts'
import type { CedarDb } from '../tables.ts'
import { releaseList } from './release.queries.ts'

interface ReleaseFacts {
  /** The version that was live until then. */
  live?: { id: string; version: string } | null
  reason?: string | undefined
}

/** Records in the audit trail that a version went live or was disabled; the history shows it. */
export const recordRelease = (
  db: CedarDb,
  actor: Actor,
  action: 'version.enable' | 'version.disable',
  { productVersionId, productId, version, state }: ProductVersion,
  { live = null, reason = '' }: ReleaseFacts,
) =>
  record(db, actor, action, productVersionId, {
    before: { state, live },
    after: { productId, version, reason: reason.trim() || null },
  })

type ListQuery = QueryOf<Calls['GET /api/developer/product/{id}/release']>

/** Which version of a product went live or was disabled, when, by whom and why. */
export async function listReleases(
  context: CedarContext,
  actor: Actor,
  { productId, ...query }: ListQuery & { productId: string },
) {
  await requireProduct(context, actor, { id: productId })
  const page = await releaseList.read(context.db, query, productId)
  return {
    ...page,
    items: page.items.map(({ action, state, ...row }): Release => ({
      ...row,
      action:
        action === 'version.disable' ? 'disable' : state === 'previous' ? 'rollback' : 'enable',
    })),
  }
}
