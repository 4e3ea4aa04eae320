import type { Product } from '@grove/contract/cedar/product'
import type { Provider } from '@grove/contract/cedar/provider'
import { iconLimits } from '@grove/contract/cedar/storage.rules'
import type { Actor } from '../../../core/actor.ts'
import { record, type CedarContext } from '../context.ts'
import { setProductIcon } from '../product/product.queries.ts'
import { changeProduct } from '../product/product.service.ts'
import { setProviderIcon } from '../provider/provider.queries.ts'
import { requireProvider } from '../provider/provider.service.ts'
import { encodeIncoming, type IncomingFile } from './incoming-file.ts'
import { keepImage } from './objects.service.ts'
import { requireProductRoom, requireRoom } from './storage-limit.ts'

export async function saveProductIcon(
  context: CedarContext,
  actor: Actor,
  { productId, file }: { productId: string; file: IncomingFile },
): Promise<Product> {
  return keepIcon(context, file, (sha256) =>
    changeProduct(context, actor, {
      id: productId,
      action: 'product.icon',
      change: async (db) => {
        await setProductIcon(db, productId, sha256)
        await requireProductRoom(context, db, productId)
      },
    }),
  )
}

export async function saveProviderIcon(
  context: CedarContext,
  actor: Actor,
  { providerId, file }: { providerId: string; file: IncomingFile },
): Promise<Provider> {
  return keepIcon(context, file, (sha256) =>
    context.db.transaction().execute(async (db) => {
      const before = await requireProvider({ db }, actor, { id: providerId })
      await setProviderIcon(db, providerId, sha256)
      await requireRoom(context, db, providerId)
      const after = await requireProvider({ db }, actor, { id: providerId })
      await record(db, actor, 'provider.icon', providerId, { before, after })
      return after
    }),
  )
}

const keepIcon = async <T>(
  context: CedarContext,
  file: IncomingFile,
  refer: (sha256: string) => Promise<T>,
): Promise<T> => keepImage(context, await encodeIncoming(context, file, iconLimits), refer)
