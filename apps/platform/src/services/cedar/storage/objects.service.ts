import { Readable } from 'node:stream'
import type { StagedObject } from '../../../core/objects/object-store.ts'
import type { CedarContext } from '../context.ts'
import type { EncodedImage } from './encode-image.ts'
import {
  announceObject,
  deleteUnreferenced,
  expireRefused,
  settleObject,
  takeReleased,
} from './storage.queries.ts'

/**
 * Makes a staged object durable while `refer` writes a row that refers to it. What this replaced,
 * and the object itself if nothing refers to it in the end, is removed at once.
 */
export async function keepObject<T>(
  context: CedarContext,
  staged: StagedObject,
  about: { mediaType: string; width?: number; height?: number },
  refer: () => Promise<T>,
): Promise<T> {
  const announcement = await context.db.transaction().execute((db) =>
    announceObject(db, {
      sha256: staged.sha256,
      bytes: staged.bytes,
      media_type: about.mediaType,
      width: about.width ?? null,
      height: about.height ?? null,
    }),
  )
  try {
    await staged.keep()
    return await refer()
  } finally {
    // What fails here is done by the job later.
    await settleObject(context.db, announcement)
      .then(() => sweepObjects(context))
      .catch(() => 0)
  }
}

/** Keeps an image while `refer` writes a row with its SHA-256. */
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

// Far longer than an upload takes between announcing its object and referring to it.
const graceSeconds = 3600

/**
 * Removes some of the objects that nothing refers to any more; answers how many it looked at, so
 * that 0 means that none is left. The rows stay locked until the files are gone, so an upload of
 * the same bytes waits and then writes them again.
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
