import type { Readable } from 'node:stream'
import type { ImageLimits } from '@grove/contract/cedar/storage.rules'
import type { CedarContext } from '../context.ts'
import { encodeImage, type EncodedImage } from './encode-image.ts'

/** A file as it comes in: from a request, or from the disk for the sample workspace. */
export interface IncomingFile {
  /** As the sender named it: shown, never used as a path. */
  fileName: string
  stream: Readable
  /** Rejects when the stream ended early because the file is larger than allowed. */
  assertComplete?: (() => Promise<void>) | undefined
}

/** Reads an image through a file on the disk, so that a slow sender holds no memory. */
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
