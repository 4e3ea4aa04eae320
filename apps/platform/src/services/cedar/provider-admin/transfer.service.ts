import { randomUUID } from 'node:crypto'
import type { BodyOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import { transferUndoHours } from '@grove/contract/cedar/provider.rules'
import type { Actor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { record, type CedarContext } from '../context.ts'
import { limitReached } from '../parts/limits.ts'
import { setDefaultProduct } from '../product/product.queries.ts'
import { resolveUser } from '../parts/resolve-user.ts'
import { findGenericProviderId } from '../provider/provider.queries.ts'
import { requireRoom } from '../storage/storage-limit.ts'
import type { CedarDb } from '../tables.ts'
import { lockProviders } from './provider-admin.queries.ts'
import { readProvider } from './provider-admin.service.ts'
import * as queries from './transfer.queries.ts'

/**
 * Moves every app of a user's personal provider to another, with their links, versions and files.
 * @throws ProblemError `not_found`, or `limit_reached` if the target cannot hold them all.
 */
export function transferApps(
  context: CedarContext,
  actor: Actor,
  { user_id: user, provider_id: to }: BodyOf<Calls['POST /api/cedar/apps/transfer']>,
): Promise<ResponseOf<Calls['POST /api/cedar/apps/transfer']>> {
  return context.db.transaction().execute(async (db) => {
    const userId = await resolveUser(db, actor, { field: 'user_id', user, mayBeClosed: true })
    const from = (await findGenericProviderId(db, userId))?.id
    if (from === undefined)
      throw new ProblemError('not_found', `User ${userId} has no personal provider.`)
    if (from === to) return { productIds: [], transferId: null }
    await lockProviders(db, [from, to])
    // Before anything moves: it reports a missing provider.
    await readProvider({ ...context, db }, actor, { id: to })
    const wasDefault = await queries.findDefaultProduct(db, from)
    const productIds = await moveWithin(context, db, actor, { from, to })
    const transferId = productIds.length === 0 ? null : randomUUID()
    if (transferId !== null)
      await queries.insertTransfer(db, {
        id: transferId,
        from_provider: from,
        to_provider: to,
        user_id: userId,
        product_ids: productIds,
        default_product: wasDefault?.id ?? null,
      })
    await record(db, actor, 'provider.transfer', to, { after: { from, userId, productIds } })
    await record(db, actor, 'provider.transfer.away', from, { after: { to, productIds } })
    return { productIds, transferId }
  })
}

/** Moves products, unless the target has no room for them. */
async function moveWithin(
  context: CedarContext,
  db: CedarDb,
  actor: Actor,
  move: Parameters<typeof queries.moveProducts>[1],
): Promise<string[]> {
  const { use, limitsInForce } = await readProvider({ ...context, db }, actor, { id: move.to })
  const productIds = await queries.moveProducts(db, move)
  const [used, limit] = [use.products, limitsInForce.products]
  if (productIds.length > 0 && used + productIds.length > limit)
    throw limitReached('products', { used, limit, more: productIds.length })
  await requireRoom(context, db, move.to)
  return productIds
}

/** @throws ProblemError `not_found`. */
export async function listTransfers(
  context: CedarContext,
  actor: Actor,
  { provider: id }: { provider: string },
): Promise<ResponseOf<Calls['GET /api/cedar/apps/transfer']>> {
  await readProvider(context, actor, { id })
  return { items: await queries.listTransfers(context.db, id) }
}

/**
 * Returns those apps of a transfer that the provider still has.
 * @throws ProblemError `not_found`, `transfer_is_final`, or `limit_reached` if the user has no room.
 */
export function undoTransfer(
  context: CedarContext,
  actor: Actor,
  { id }: { id: string },
): Promise<ResponseOf<Calls['POST /api/cedar/apps/transfer/{id}/undo']>> {
  return context.db.transaction().execute(async (db) => {
    const transfer = await queries.lockTransfer(db, id)
    if (!transfer) throw new ProblemError('not_found', 'There is no such transfer.')
    if (!transfer.isUndoable)
      throw new ProblemError(
        'transfer_is_final',
        transfer.undone_at === null
          ? `The transfer is older than ${transferUndoHours} hours. Transfer the apps one by one.`
          : 'The transfer has already been undone.',
      )
    const { from_provider: former, to_provider: holder, default_product: wasDefault } = transfer
    await lockProviders(db, [former, holder])
    const only = transfer.product_ids
    const productIds = await moveWithin(context, db, actor, { from: holder, to: former, only })
    if (wasDefault !== null && productIds.includes(wasDefault))
      if (!(await queries.findDefaultProduct(db, former)))
        await setDefaultProduct(db, former, wasDefault)
    await queries.markUndone(db, id)
    const facts = { before: { userId: transfer.user_id }, after: { productIds } }
    await record(db, actor, 'provider.transfer.undo', holder, facts)
    await record(db, actor, 'provider.transfer.undo', former, facts)
    return { productIds, stayed: only.filter((product) => !productIds.includes(product)) }
  })
}
