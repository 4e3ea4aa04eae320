import { Readable } from 'node:stream'
import type { StagedObject } from '../../../core/objects/object-store.ts'
import type { CedarContext } from '../context.ts'
import type { EncodedImage } from './encode-image.ts'
import {
  announceObject,
  deleteUnreferenced,
  expireRefused,
  takeReleased,
} from './storage.queries.ts'

/** Makes a staged object durable, so that a row may refer to it. */
export async function keepObject(
  context: CedarContext,
  staged: StagedObject,
  about: { mediaType: string; width?: number; height?: number },
): Promise<void> {
  await context.db.transaction().execute((db) =>
    announceObject(db, {
      sha256: staged.sha256,
      bytes: staged.bytes,
      media_type: about.mediaType,
      width: about.width ?? null,
      height: about.height ?? null,
    }),
  )
  await staged.keep()
}

/** @returns the image's SHA-256. */
export async function keepImage(context: CedarContext, image: EncodedImage): Promise<string> {
  const staged = await context.objects.stage(Readable.from([image.bytes]))
  try {
    await keepObject(context, staged, image)
    return staged.sha256
  } finally {
    await staged.discard()
  }
}

// Far longer than an upload takes between announcing its object and referring to it.
const graceSeconds = 3600

/**
 * Removes some of the objects that nothing refers to any more; answers how many.
 * The rows stay locked until the files are gone, so an upload of the same bytes waits and then
 * writes them again.
 */
export const sweepObjects = (context: CedarContext, grace = graceSeconds): Promise<number> =>
  context.db.transaction().execute(async (db) => {
    await expireRefused(db)
    const candidates = await takeReleased(db, grace)
    if (candidates.length === 0) return 0
    const unreferenced = await deleteUnreferenced(db, candidates)
    await Promise.all(unreferenced.map((sha256) => context.objects.remove(sha256)))
    return unreferenced.length
  })
