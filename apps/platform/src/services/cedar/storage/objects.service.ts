import { Readable } from 'node:stream'
import type { StagedObject } from '../../../core/objects/object-store.ts'
import type { Platform } from '../../../core/platform.ts'
import { cedarDb } from '../tables.ts'
import type { EncodedImage } from './encode-image.ts'
import { announceObject, deleteUnreferenced, takeReleased } from './storage.queries.ts'

/** Makes a staged object durable, so that a row may refer to it. */
export async function keepObject(
  platform: Platform,
  staged: StagedObject,
  about: { mediaType: string; width?: number; height?: number },
): Promise<void> {
  await cedarDb(platform)
    .transaction()
    .execute((db) =>
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
export async function keepImage(platform: Platform, image: EncodedImage): Promise<string> {
  const staged = await platform.objects.stage(Readable.from([image.bytes]))
  try {
    await keepObject(platform, staged, image)
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
export const sweepObjects = (platform: Platform, grace = graceSeconds): Promise<number> =>
  cedarDb(platform)
    .transaction()
    .execute(async (db) => {
      const candidates = await takeReleased(db, grace)
      if (candidates.length === 0) return 0
      const unreferenced = await deleteUnreferenced(db, candidates)
      await Promise.all(unreferenced.map((sha256) => platform.objects.remove(sha256)))
      return unreferenced.length
    })
