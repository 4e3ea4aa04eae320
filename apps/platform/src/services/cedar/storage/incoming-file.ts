import type { Readable } from 'node:stream'
import type { ImageLimits } from '@grove/contract/cedar/storage.rules'
import type { CedarContext } from '../context.ts'
import { encodeImage, type EncodedImage } from './encode-image.ts'

/** An incoming file: from a request, or from disk for the sample workspace. */
export interface IncomingFile {
  /** As the sender named it: displayed, never used as a path. */
  fileName: string
  stream: Readable
  /** Rejects if the stream ended early because the file exceeds the limit. */
  assertComplete?: (() => Promise<void>) | undefined
}

/** Reads an image through a file on disk, so that a slow sender occupies no memory. */
export async function encodeIncoming(
  { objects }: CedarContext,
  file: IncomingFile,
  limits: ImageLimits,
): Promise<EncodedImage> {
  const staged = await objects.stage(file.stream)
  try {
    await file.assertComplete?.()
    return await encodeImage(staged.path, limits)
  } finally {
    await staged.discard()
  }
}
