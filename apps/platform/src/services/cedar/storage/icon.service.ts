import type { Product, Provider } from '@grove/contract'
import { iconLimits } from '@grove/contract/cedar/storage.rules'
import type { Platform } from '../../../core/platform.ts'
import { record, type Actor } from '../actor.ts'
import { setProductIcon } from '../product/product.queries.ts'
import { changeProduct } from '../product/product.service.ts'
import { setProviderIcon } from '../provider/provider.queries.ts'
import { requireProvider } from '../provider/provider.service.ts'
import { cedarDb } from '../tables.ts'
import { encodeImage } from './encode-image.ts'
import { readWhole, type IncomingFile } from './incoming-file.ts'
import { keepImage } from './objects.service.ts'

export async function saveProductIcon(
  platform: Platform,
  actor: Actor,
  productId: string,
  file: IncomingFile,
): Promise<Product> {
  const sha256 = await keepIcon(platform, file)
  return changeProduct(platform, actor, productId, 'product.icon', (db) =>
    setProductIcon(db, productId, sha256),
  )
}

export async function saveProviderIcon(
  platform: Platform,
  actor: Actor,
  providerId: string,
  file: IncomingFile,
): Promise<Provider> {
  const sha256 = await keepIcon(platform, file)
  return cedarDb(platform)
    .transaction()
    .execute(async (db) => {
      const before = await requireProvider(db, actor, providerId)
      await setProviderIcon(db, providerId, sha256)
      const after = await requireProvider(db, actor, providerId)
      await record(db, actor, 'provider.icon', providerId, { before, after })
      return after
    })
}

async function keepIcon(platform: Platform, file: IncomingFile): Promise<string> {
  const bytes = await readWhole(file, iconLimits.bytes)
  return keepImage(platform, await encodeImage(bytes, iconLimits))
}
