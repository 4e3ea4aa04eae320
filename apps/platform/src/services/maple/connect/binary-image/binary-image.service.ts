import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import type { Readable } from 'node:stream'
import type { BinaryImage } from '@grove/contract/maple/connect/binary-image'
import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import { maxImageNameLength } from '@grove/contract/maple/connect/binary-image.rules'
import { McubootError, readMcuboot } from '@grove/contract/maple/connect/mcuboot.rules'
import type { Actor } from '../../../../core/actor.ts'
import { atRevision } from '../../../../core/http/at-revision.ts'
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { storedName } from '../../../../core/http/stored-name.ts'
import { scopeOf, serviceOf } from '../../../../core/scope.ts'
import type { IncomingFile } from '../../../../core/http/upload.ts'
import { isFileUsed } from '../../card/applet/applet.queries.ts'
import { imageEvents as events } from '../context.ts'
import type { FleetContext } from '../../fleet/context.ts'
import { lockFile } from '../../../../core/objects/lock-file.ts'
import { hasProduct } from '../../fleet/device/device.queries.ts'
import { assertAllowed, rightsOf } from '../connect.policy.ts'
import { assertOpenService } from '../../access/service/service.service.ts'
import * as queries from './binary-image.queries.ts'
import { keysOfService } from './image-key.queries.ts'
import { verifyImage } from './verify-image.ts'

type Context = Pick<FleetContext, 'db' | 'objects'>
type ById = { id: string }
type AtRevision = ById & { revision: number | undefined }

const what = 'image'

/** @throws BadCursorError */
export async function listImages(
  { db }: Context,
  actor: Actor,
  query: QueryOf<Calls['GET /api/maple/binary_images']>,
): Promise<ResponseOf<Calls['GET /api/maple/binary_images']>> {
  const page = await queries.readImages(db, query, scopeOf(actor))
  return { ...page, items: page.items.map((image) => withRights(actor, image)) }
}

/** @throws ProblemError `binary_image_unreadable`, `already_exists` or `service_suspended`. */
export async function uploadImage(
  { db, objects }: Context,
  actor: Actor,
  { file }: { file: IncomingFile },
): Promise<BinaryImage> {
  const staged = await objects.stage(file.stream)
  try {
    await file.assertComplete()
    const mcuboot = readImage(await readFile(staged.path))
    const serviceId = serviceOf(scopeOf(actor))
    const { sha256, bytes } = staged
    const fileName = shownName(file.fileName)
    return await db.transaction().execute(async (tx) => {
      if (serviceId !== null) await assertOpenService(tx, serviceId)
      // Nobody can remove the same content meanwhile.
      await lockFile(tx, sha256)
      const same = await queries.findSameFile(tx, sha256, serviceId)
      if (same)
        throw new ProblemError(
          'already_exists',
          `This file has already been uploaded, as ${same.name}.`,
        )
      const id = await queries.insertImage(tx, {
        name: nameOf(fileName),
        serviceId,
        mcuboot,
        fileName,
        bytes,
        sha256,
        createdBy: actor.id,
      })
      await staged.keep()
      return audited(tx, actor, 'binary_image.upload', id)
    })
  } finally {
    await staged.discard()
  }
}

const shownName = (name: string) => name.toWellFormed().replaceAll(/\p{Cc}/gu, '') || 'image.bin'
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

/** The bytes of an image. @throws ProblemError `not_found` or `file_damaged`. */
export async function openFile(context: Context, actor: Actor, { id }: ById) {
  const { sha256, fileName } = await required(context.db, actor, id)
  const { stream } = await openBytes(context, sha256)
  return { fileName, stream }
}

/** @throws ProblemError `file_damaged`. */
export async function openBytes(
  { objects }: Context,
  sha256: string,
): Promise<{ stream: Readable; bytes: number }> {
  const object = await objects.read(sha256)
  if (!object)
    throw new ProblemError(
      'file_damaged',
      `The stored file ${sha256} is missing. An administrator can put it back from a backup.`,
    )
  return object
}

/** @throws ProblemError `not_found`, `edit_conflict` or `invalid_request`. */
export function updateImage(
  { db }: Context,
  actor: Actor,
  {
    id,
    revision,
    change,
  }: AtRevision & { change: BodyOf<Calls['PUT /api/maple/binary_images/{id}']> },
): Promise<BinaryImage> {
  return db.transaction().execute(async (tx) => {
    const before = atRevision(await queries.lockImage(tx, id, scopeOf(actor)), revision, what)
    const { productId = before.productId } = change
    const name = change.name === undefined ? before.name : storedName('name', change.name)
    if (name === before.name && productId === before.productId) return withRights(actor, before)
    if (productId !== null && !(await hasProduct(tx, productId, before.serviceId)))
      throw invalidField('productId', 'exists', `There is no product ${productId}.`)
    await queries.updateImage(tx, id, { name, productId })
    return audited(tx, actor, 'binary_image.update', id, before)
  })
}

/** An image of one product is for no other device. */
export const isForProduct = (image: queries.ImageFacts, productId: string | null): boolean =>
  image.productId === null || image.productId === productId

const actionOf = {
  verified: 'binary_image.verify',
  released: 'binary_image.release',
  revoked: 'binary_image.revoke',
} as const

/** @throws ProblemError `not_found`, `edit_conflict`, `transition_refused` or `binary_image_refused`. */
export async function changeState(
  context: Context,
  actor: Actor,
  { id, revision, state }: AtRevision & { state: keyof typeof actionOf },
): Promise<BinaryImage> {
  const { db } = context
  const found = atRevision(await queries.findImage(db, id, scopeOf(actor)), revision, what)
  if (found.state === state) return withRights(actor, found)
  assertAllowed(actor, 'image.move', { state: found.state, to: state })
  const signedBy = state === 'verified' ? await signerOf(context, found) : found.signedBy
  return db.transaction().execute(async (tx) => {
    const before = await queries.lockImage(tx, id, scopeOf(actor))
    atRevision(before, found.revision, what)
    await queries.setImageState(tx, id, { state, signedBy })
    return audited(tx, actor, actionOf[state], id, before)
  })
}

async function signerOf(context: Context, { sha256, serviceId }: queries.ImageFacts) {
  const { stream } = await openBytes(context, sha256)
  const bytes = await buffer(stream)
  const keys = await keysOfService(context.db, serviceId)
  const { name, keyHash, algorithm } = verifyImage(bytes, readImage(bytes), keys)
  return { name, keyHash, algorithm }
}

/** @throws ProblemError `not_found`, `edit_conflict` or `binary_image_in_use`. */
export async function removeImage(
  { db, objects }: Context,
  actor: Actor,
  { id, revision }: AtRevision,
): Promise<null> {
  await db.transaction().execute(async (tx) => {
    const before = atRevision(await queries.lockImage(tx, id, scopeOf(actor)), revision, what)
    if (await queries.isDefaultImage(tx, id))
      throw new ProblemError('binary_image_in_use', 'The image is a default of products.')
    // First, while the image still tells the event's service provider.
    await events.record(tx, actor, 'binary_image.delete', id, { before })
    await lockFile(tx, before.sha256)
    await queries.deleteImage(tx, id)
    if (!(await isFileUsed(tx, before.sha256))) await objects.remove(before.sha256)
  })
  return null
}

/** @throws ProblemError `not_found`, also for another service provider's image. */
export async function required(
  db: Context['db'],
  actor: Actor,
  id: string,
): Promise<queries.ImageFacts> {
  const found = await queries.findImage(db, id, scopeOf(actor))
  if (!found) throw new ProblemError('not_found', `There is no image ${id}.`)
  return found
}

async function audited(
  tx: Context['db'],
  actor: Actor,
  action: Parameters<typeof events.record>[2],
  id: string,
  before?: queries.ImageFacts,
): Promise<BinaryImage> {
  const after = await required(tx, actor, id)
  await events.record(tx, actor, action, id, { before, after })
  return withRights(actor, after)
}

function withRights(actor: Actor, image: queries.ImageFacts): BinaryImage {
  const rightTo = (to: keyof typeof actionOf) =>
    rightsOf(actor, { state: image.state, to }, { move: 'image.move' }).move
  return {
    ...image,
    rights: {
      verify: rightTo('verified'),
      release: rightTo('released'),
      revoke: rightTo('revoked'),
    },
  }
}
