import { ProblemError } from '../../../core/http/problem.ts'
import type { CedarContext } from '../context.ts'
import { limitsInForce } from '../parts/limits.ts'
import { findLimits } from '../provider/provider.queries.ts'
import type { CedarSettings } from '../settings.ts'
import type { CedarDb } from '../tables.ts'
import { findProviderBytes, findProviderOf, lockStorage } from './storage.queries.ts'

const megabyte = 1024 * 1024
const shown = (bytes: number) => (Math.ceil((bytes / megabyte) * 10) / 10).toLocaleString('en-US')

/**
 * Call it in the transaction of the change, after the change: refuses it if the files of the
 * product's provider then exceed the limit.
 * @throws ProblemError `limit_reached`.
 */
export async function requireProductRoom(
  context: CedarContext,
  db: CedarDb,
  productId: string,
): Promise<void> {
  const product = await findProviderOf(db, productId)
  if (product) await requireRoom(context, db, product.provider_id)
}

/** The same for a provider. */
export async function requireRoom(
  { settings }: CedarContext,
  db: CedarDb,
  providerId: string,
): Promise<void> {
  await lockStorage(db, providerId)
  const bytes = await findProviderBytes(db, providerId)
  const limit = await storageLimitOf(db, settings, providerId)
  if (bytes > limit) throw full(bytes, limit)
}

/**
 * Refuses an upload before it is read if there is no room at all.
 * @throws ProblemError `limit_reached`.
 */
export async function refuseFull(
  { db, settings }: CedarContext,
  productId: string,
  /** Bytes of the files that the upload would replace. */
  replaced: number,
): Promise<void> {
  const product = await findProviderOf(db, productId)
  if (!product) return
  const bytes = (await findProviderBytes(db, product.provider_id)) - replaced
  const limit = await storageLimitOf(db, settings, product.provider_id)
  if (bytes >= limit) throw full(bytes, limit)
}

async function storageLimitOf(
  db: CedarDb,
  settings: CedarSettings,
  providerId: string,
): Promise<number> {
  const found = await findLimits(db, providerId)
  return limitsInForce(settings, found?.limits ?? {}).storageBytes
}

const full = (bytes: number, limit: number) =>
  new ProblemError(
    'limit_reached',
    `The files of this provider would take ${shown(bytes)} MB; the limit is ${shown(limit)} MB. Delete versions or screenshots that are no longer needed, or ask an administrator to raise the limit.`,
  )
