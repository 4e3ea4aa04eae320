import { randomUUID } from 'node:crypto'
import type { LocaleCode } from '@grove/contract/locale.rules'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { maxScreenshots, screenshotLimits } from '@grove/contract/cedar/storage.rules'
import { invalidField, ProblemError } from '../../../core/http/problem.ts'
import type { Actor } from '../../../core/actor.ts'
import { record, type CedarContext, visibleTo } from '../context.ts'
import { changeVersion } from '../product-version/product-version.service.ts'
import type { CedarDb } from '../tables.ts'
import { refused } from './encode-image.ts'
import { encodeIncoming, type IncomingFile } from './incoming-file.ts'
import { keepImage } from './objects.service.ts'
import { requireProductRoom } from './storage-limit.ts'
import { deleteImage, findImageVersion, insertImage, orderImages } from './storage.queries.ts'

const imagesIn = ({ images }: ProductVersion, localeCode: LocaleCode) =>
  images.filter((image) => image.localeCode === localeCode)

interface NewImage {
  productVersionId: string
  localeCode: LocaleCode
  file: IncomingFile
}

export async function addImage(
  context: CedarContext,
  actor: Actor,
  { productVersionId, localeCode, file }: NewImage,
): Promise<ProductVersion> {
  const image = await encodeIncoming(context, file, screenshotLimits)
  const id = randomUUID()
  const change = (sha256: string) => async (db: CedarDb, before: ProductVersion) => {
    const images = imagesIn(before, localeCode)
    if (images.some((known) => known.sha256 === sha256))
      throw refused('duplicate', `The version already has this image in ${localeCode}.`)
    if (images.length >= maxScreenshots)
      throw new ProblemError(
        'limit_reached',
        `The version has ${images.length} images in ${localeCode}, the limit.`,
      )
    await insertImage(db, { id, version_id: productVersionId, locale_code: localeCode, sha256 })
    await requireProductRoom(context, db, before.productId)
    await record(db, actor, 'version.image.add', productVersionId, {
      after: { id, localeCode, sha256 },
    })
  }
  return keepImage(context, image, (sha256) =>
    changeVersion(context, actor, { id: productVersionId, change: change(sha256) }),
  )
}

/** Orders the images of one locale by the given ids, which must be complete. */
export const orderVersionImages = (
  context: CedarContext,
  actor: Actor,
  { productVersionId, localeCode, ids }: ImageOrder,
): Promise<ProductVersion> =>
  changeVersion(context, actor, {
    id: productVersionId,
    change: async (db, before) => {
      const known = imagesIn(before, localeCode).map(({ id }) => id)
      if (ids.length !== known.length || !known.every((id) => ids.includes(id)))
        throw invalidField('ids', 'permutation', `List each image of ${localeCode} exactly once.`)
      await orderImages(db, ids)
      await record(db, actor, 'version.image.order', productVersionId, {
        before: known,
        after: ids,
      })
    },
  })

interface ImageOrder {
  productVersionId: string
  localeCode: LocaleCode
  ids: readonly string[]
}

export async function removeImage(
  context: CedarContext,
  actor: Actor,
  { id: imageId }: { id: string },
): Promise<ProductVersion> {
  const versionId = await findImageVersion(context.db, imageId, visibleTo(actor))
  if (versionId === undefined) throw new ProblemError('not_found', 'The image does not exist.')
  return changeVersion(context, actor, {
    id: versionId,
    change: async (db, { images }) => {
      await deleteImage(db, imageId)
      await record(db, actor, 'version.image.remove', versionId, {
        before: images.find(({ id }) => id === imageId),
      })
    },
  })
}
