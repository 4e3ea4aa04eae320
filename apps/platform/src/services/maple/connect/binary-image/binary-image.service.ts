import type { BinaryImage } from '@grove/contract/maple/connect/binary-image'
import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import {
  binaryImageTransitions,
  maxImageNameLength,
} from '@grove/contract/maple/connect/binary-image.rules'
import { McubootError, readMcuboot } from '@grove/contract/maple/connect/mcuboot.rules'
import type { Actor } from '../../../../core/actor.ts'
import { artifactService } from '../../../../core/artifact/artifact-service.ts'
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { storedName } from '../../../../core/http/stored-name.ts'
import { isFileUsed } from '../../base/file-use.queries.ts'
import { imageEvents as events } from '../context.ts'
import type { FleetContext } from '../../fleet/context.ts'
import { hasProduct } from '../../fleet/device/device.queries.ts'
import type { MapleDb } from '../../base/tables.ts'
import { assertOpenService } from '../../access/service/service.service.ts'
import * as queries from './binary-image.queries.ts'
import { keysOfService } from './image-key.queries.ts'
import { verifyImage } from './verify-image.ts'

const artifacts = artifactService(queries.images, {
  what: 'image',
  subject: 'binary_image',
  events,
  transitions: binaryImageTransitions,
  unnamed: 'image.bin',
  assertOpen: assertOpenService,
  async describe(file, fileName) {
    const mcuboot = readImage(file)
    const { version } = mcuboot
    return { name: nameOf(fileName), version, mcuboot: JSON.stringify(mcuboot) }
  },
  async verify(db: MapleDb, file, { serviceId }) {
    const keys = await keysOfService(db, serviceId)
    const { name, keyHash, algorithm } = verifyImage(file, readImage(file), keys)
    return { signed_by: JSON.stringify({ name, keyHash, algorithm }) }
  },
  async assertUnused(tx, _actor, { id }) {
    if (await queries.isDefaultImage(tx, id))
      throw new ProblemError('binary_image_in_use', 'The image is a default of products.')
  },
  isFileUsed,
  shown: (_actor, image, moves) => ({ ...image, rights: moves }),
})
export const {
  list: listImages,
  upload: uploadImage,
  openFile,
  changeState,
  remove: removeImage,
} = artifacts

const nameOf = (fileName: string) =>
  (fileName.replace(/(\.signed)?\.(bin|img|hex)$/i, '').trim() || 'image').slice(
    0,
    maxImageNameLength,
  )

/** @throws ProblemError `binary_image_unreadable`: what is wrong, and at which byte. */
function readImage(bytes: Uint8Array) {
  try {
    return readMcuboot(bytes)
  } catch (error) {
    if (!(error instanceof McubootError)) throw error
    const { code, offset, expected, found } = error
    const message = `${error.message}.`
    throw new ProblemError('binary_image_unreadable', message, {
      errors: [
        {
          path: 'file',
          code,
          message,
          params: {
            offset,
            ...(expected !== undefined && { expected }),
            ...(found !== undefined && { found }),
          },
        },
      ],
    })
  }
}

/** @throws ProblemError `not_found`, `edit_conflict` or `invalid_request`. */
export function updateImage(
  { db }: Pick<FleetContext, 'db'>,
  actor: Actor,
  {
    change,
    ...at
  }: {
    id: string
    revision: number | undefined
    change: BodyOf<Calls['PUT /api/maple/binary_images/{id}']>
  },
): Promise<BinaryImage> {
  return db.transaction().execute(async (tx) => {
    const before = await artifacts.locked(tx, actor, at)
    const { productId = before.productId } = change
    const name = change.name === undefined ? before.name : storedName('name', change.name)
    if (name === before.name && productId === before.productId)
      return artifacts.shown(actor, before)
    if (productId !== null && !(await hasProduct(tx, productId, before.serviceId)))
      throw invalidField('productId', 'exists', `There is no product ${productId}.`)
    await queries.images.update(tx, at.id, { name, product_id: productId })
    const after = await artifacts.required(tx, actor, at.id)
    await events.record(tx, actor, 'binary_image.update', at.id, { before, after })
    return artifacts.shown(actor, after)
  })
}

/** An image of one product is for no other device. */
export const isForProduct = (image: queries.ImageFacts, productId: string | null): boolean =>
  image.productId === null || image.productId === productId
