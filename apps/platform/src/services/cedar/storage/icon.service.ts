import type { Product, Provider } from '@grove/contract'
import { iconLimits } from '@grove/contract/cedar/storage.rules'
import type { Actor } from '../../../core/actor.ts'
import { record, type CedarContext } from '../context.ts'
import { setProductIcon } from '../product/product.queries.ts'
import { changeProduct } from '../product/product.service.ts'
import { setProviderIcon } from '../provider/provider.queries.ts'
import { requireProvider } from '../provider/provider.service.ts'
import { encodeImage } from './encode-image.ts'
import { readWhole, type IncomingFile } from './incoming-file.ts'
import { keepImage } from './objects.service.ts'

export async function saveProductIcon(
  context: CedarContext,
  actor: Actor,
  { productId, file }: { productId: string; file: IncomingFile },
): Promise<Product> {
  const sha256 = await keepIcon(context, file)
  return changeProduct(context, actor, {
    id: productId,
    action: 'product.icon',
    change: (db) => setProductIcon(db, productId, sha256),
  })
}

export async function saveProviderIcon(
  context: CedarContext,
  actor: Actor,
  { providerId, file }: { providerId: string; file: IncomingFile },
): Promise<Provider> {
  const sha256 = await keepIcon(context, file)
  return context.db.transaction().execute(async (db) => {
    const before = await requireProvider({ db }, actor, { id: providerId })
    await setProviderIcon(db, providerId, sha256)
    const after = await requireProvider({ db }, actor, { id: providerId })
    await record(db, actor, 'provider.icon', providerId, { before, after })
    return after
  })
}

async function keepIcon(context: CedarContext, file: IncomingFile): Promise<string> {
  const bytes = await readWhole(file, iconLimits.bytes)
  return keepImage(context, await encodeImage(bytes, iconLimits))
}
