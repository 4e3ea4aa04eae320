import { storageCalls } from '@grove/contract/cedar/storage'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import type { Upload } from '../../../core/http/upload.ts'
import type { Call } from '@grove/contract/call'
import { defaultLocale } from '@grove/contract/locale.rules'
import { largestPackage } from '@grove/contract/cedar/package.rules'
import { iconLimits, screenshotLimits } from '@grove/contract/cedar/storage.rules'
import type { CedarContext } from '../context.ts'
import { contentDisposition } from '../package/package-file-name.ts'
import { getVersion } from '../product-version/product-version.service.ts'
import { getProduct } from '../product/product.service.ts'
import { requireProvider } from '../provider/provider.service.ts'
import { openImage } from './image.service.ts'
import { saveProductIcon, saveProviderIcon } from './icon.service.ts'
import { openPackage, repairRefused, savePackage } from './mini-app.service.ts'
import { refuseFull } from './storage-limit.ts'
import { addImage, orderVersionImages, removeImage } from './screenshot.service.ts'

/** A page opened from one of these URLs cannot run scripts or connect anywhere. */
const inert = "default-src 'none'; sandbox"

export function storageRoutes(app: FastifyInstance, context: CedarContext): void {
  addCall(app, storageCalls, 'POST /api/storage/product/icon', async (input) => {
    const { actor } = input
    const file = await input.upload(iconLimits.bytes)
    const { productId } = file.form
    const permission = getProduct(context, actor, { id: productId })
    await beforeReading(
      file,
      permission.then(() => refuseFull(context, productId, 0)),
    )
    return saveProductIcon(context, actor, { productId, file })
  })
  addCall(app, storageCalls, 'POST /api/storage/provider/icon', async (input) => {
    const { actor } = input
    const file = await input.upload(iconLimits.bytes)
    const { providerId } = file.form
    await beforeReading(file, requireProvider(context, actor, { id: providerId }))
    return saveProviderIcon(context, actor, { providerId, file })
  })
  addCall(app, storageCalls, 'POST /api/storage/productVersion/image', async (input) => {
    const { actor } = input
    const file = await input.upload(screenshotLimits.bytes)
    const { productVersionId, localeCode = defaultLocale } = file.form
    const permission = getVersion(context, actor, { id: productVersionId })
    await beforeReading(
      file,
      permission.then(({ productId }) => refuseFull(context, productId, 0)),
    )
    return addImage(context, actor, { productVersionId, localeCode, file })
  })
  addCall(app, storageCalls, 'PUT /api/storage/productVersion/image', (input) =>
    orderVersionImages(context, input.actor, input.body),
  )
  addCall(app, storageCalls, 'DELETE /api/storage/productVersion/image', (input) =>
    removeImage(context, input.actor, input.query),
  )
  addCall(app, storageCalls, 'POST /api/storage/productVersion/miniApp', async (input) => {
    const { actor } = input
    const signal = untilSenderLeft(input.reply)
    const file = await input.upload(largestPackage)
    const { productVersionId } = file.form
    return beforeReading(file, savePackage(context, actor, { productVersionId, file, signal }))
  })
  addCall(app, storageCalls, 'POST /api/storage/productVersion/miniApp/repair', (input) =>
    repairRefused(context, input.actor, input.body),
  )
  addCall(app, storageCalls, 'GET /api/storage/productVersion/miniApp', async (input) => {
    const download = await openPackage(context, input.actor, input.query)
    return input.reply
      .type('application/zip')
      .headers({
        'content-length': download.bytes,
        'content-disposition': contentDisposition(download.fileName),
        'content-security-policy': inert,
      })
      .send(download.stream)
  })
  addCall(app, storageCalls, 'GET /api/storage/image/{sha256}', async (input) => {
    const image = await openImage(context, input.actor, input.params)
    return input.reply
      .type(image.mediaType)
      .headers({
        'content-length': image.bytes,
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': inert,
        // The console may be served from another origin than this service.
        'cross-origin-resource-policy': 'cross-origin',
      })
      .send(image.stream)
  })
}

/** Closing the connection before the response cancels the upload. */
function untilSenderLeft({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController()
  const reason = new ProblemError('invalid_request', 'The sender left before the answer.')
  raw.once('close', () => left.abort(reason))
  return left.signal
}

/** Discards the rest of the file if the actor may not send it. */
async function beforeReading<T>(file: Upload<Call>, permission: Promise<T>): Promise<T> {
  try {
    return await permission
  } catch (error) {
    file.stream.resume()
    throw error
  }
}
