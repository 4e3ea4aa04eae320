import { Readable } from 'node:stream'
import { ProblemError } from '../../../core/http/problem.ts'
import type { StagedObject } from '../../../core/objects/object-store.ts'
import type { CedarContext } from '../context.ts'
import type { EncodedImage } from './encode-image.ts'
import {
  announceObject,
  deleteUnreferenced,
  expireRefused,
  findObject,
  settleObject,
  takeReleased,
} from './storage.queries.ts'

/**
 * Makes a staged object durable while `refer` writes a row that references it. The object it
 * replaced, and the object itself if it ends up unreferenced, are removed right after.
 */
export async function keepObject<T>(
  context: CedarContext,
  staged: StagedObject,
  about: { mediaType: string; width?: number; height?: number },
  refer: () => Promise<T>,
): Promise<T> {
  void staged.flush()
  const announcement = await context.db.transaction().execute((db) =>
    announceObject(db, {
      sha256: staged.sha256,
      bytes: staged.bytes,
      media_type: about.mediaType,
      width: about.width ?? null,
      height: about.height ?? null,
    }),
  )
  // The job cleans up failures later.
  const settle = () =>
    settleObject(context.db, announcement)
      .then(() => sweepObjects(context))
      .catch(() => 0)
  try {
    await staged.keep()
    const result = await refer()
    // The response does not wait for it.
    void settle()
    return result
  } catch (error) {
    await settle()
    throw error
  }
}

/** Stores an image while `refer` writes a row with its SHA-256. */
export async function keepImage<T>(
  context: CedarContext,
  image: EncodedImage,
  refer: (sha256: string) => Promise<T>,
): Promise<T> {
  const staged = await context.objects.stage(Readable.from([image.bytes]))
  try {
    return await keepObject(context, staged, image, () => refer(staged.sha256))
  } finally {
    await staged.discard()
  }
}

// Far longer than the time between announcing an upload's object and referencing it.
const graceSeconds = 3600

/**
 * Removes some of the unreferenced objects; returns how many it examined, so 0 means that none is
 * left. The rows stay locked until the files are gone, so an upload of the same content waits and
 * then writes them again.
 */
export const sweepObjects = (context: CedarContext, grace = graceSeconds): Promise<number> =>
  context.db.transaction().execute(async (db) => {
    const expired = await expireRefused(db)
    const candidates = await takeReleased(db, grace)
    if (candidates.length === 0) return expired
    const unreferenced = await deleteUnreferenced(db, [...new Set(candidates)])
    await Promise.all(unreferenced.map((sha256) => context.objects.remove(sha256)))
    return expired + candidates.length
  })

/**
 * Opens an object whose row has its size.
 * @throws ProblemError `file_damaged` if the store has lost it, or part of it.
 */
export async function openObject(context: CedarContext, sha256: string) {
  const known = await findObject(context.db, sha256)
  if (!known) return undefined
  const object = await context.objects.read(sha256, { isQuick: true })
  if (!object) throw damaged(sha256)
  if (object.bytes !== known.bytes) {
    object.stream.destroy()
    throw damaged(sha256)
  }
  return { ...object, mediaType: known.media_type }
}

export const damaged = (sha256: string) =>
  new ProblemError(
    'file_damaged',
    `The stored file ${sha256} is missing or cut off. An administrator can put it back from a backup.`,
  )
