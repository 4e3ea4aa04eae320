import type { ImageLimits } from '@grove/contract/cedar/storage.rules'
import type { FieldError } from '@grove/contract/shapes'
import { open as openFile, type FileHandle } from 'node:fs/promises'
import sharp, { type Sharp } from 'sharp'
import { atMost } from '../../../core/at-most.ts'
import { ProblemError } from '../../../core/http/problem.ts'

export interface EncodedImage {
  bytes: Buffer
  mediaType: 'image/png' | 'image/jpeg'
  width: number
  height: number
}

// Decoded images are large, so nothing is cached, and few are decoded at once.
sharp.cache(false)
sharp.concurrency(1)
const atOnce = atMost(2)
const maxSeconds = 10

/**
 * Decodes and re-encodes an image, so that only pixels are kept: no EXIF location, no second file
 * hidden behind the first. The content decides the type, not the name.
 */
export async function encodeImage(path: string, rules: ImageLimits): Promise<EncodedImage> {
  const mediaType = await sniff(path)
  return atOnce(async () => {
    const image = open(path, rules)
    const { autoOrient } = await image.metadata().catch(asRefused)
    checkSides(autoOrient.width, autoOrient.height, rules)
    const upright = image.autoOrient().timeout({ seconds: maxSeconds })
    const encoded = mediaType === 'image/png' ? upright.png() : upright.jpeg({ quality: 90 })
    const { data, info } = await encoded.toBuffer({ resolveWithObject: true }).catch(asRefused)
    return { bytes: data, mediaType, width: info.width, height: info.height }
  })
}

// The pixel limit stops a decompression bomb, whatever its header says.
const open = (path: string, { maxSide }: ImageLimits): Sharp =>
  sharp(path, { limitInputPixels: maxSide * maxSide, failOn: 'error' })

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** @throws ProblemError unless the file is a still PNG or JPEG. */
async function sniff(path: string): Promise<EncodedImage['mediaType']> {
  const handle = await openFile(path)
  try {
    const head = Buffer.alloc(pngSignature.length)
    await handle.read(head, 0, head.length, 0)
    if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return 'image/jpeg'
    if (!head.equals(pngSignature))
      throw refused('type', 'The file is neither a PNG nor a JPEG image.')
    if (await isAnimated(handle))
      throw refused('animated', 'The image is animated; send a still image.')
    return 'image/png'
  } finally {
    await handle.close()
  }
}

// Far more than an image has before its data.
const maxChunks = 1000

/** An animated PNG has an `acTL` chunk before its first data; decoders may show only one frame. */
async function isAnimated(png: FileHandle): Promise<boolean> {
  const chunk = Buffer.alloc(8)
  let at = pngSignature.length
  for (let index = 0; index < maxChunks; index += 1) {
    const { bytesRead } = await png.read(chunk, 0, chunk.length, at)
    const type = chunk.toString('latin1', 4, 8)
    if (type === 'acTL') return true
    if (bytesRead < chunk.length || type === 'IDAT') return false
    at += 12 + chunk.readUInt32BE(0)
  }
  throw refused('damaged', 'The image has too many chunks before its pixels.')
}

function checkSides(width: number, height: number, rules: ImageLimits): void {
  const { leastSide, maxSide, maxRatio } = rules
  const short = Math.min(width, height)
  const long = Math.max(width, height)
  if (short < leastSide || long > maxSide)
    throw refused(
      'size',
      `The image has ${width} × ${height} pixels; each side must have ${leastSide} to ${maxSide}.`,
      { leastSide, maxSide },
    )
  if (long / short > maxRatio)
    throw refused(
      'ratio',
      maxRatio === 1
        ? `The image has ${width} × ${height} pixels; it must be square.`
        : `The image has ${width} × ${height} pixels; the long side may be at most ${maxRatio} times the short one.`,
      { maxRatio },
    )
}

function asRefused(cause: unknown): never {
  const isLarge = cause instanceof Error && cause.message.includes('exceeds pixel limit')
  throw isLarge
    ? refused('size', 'The image has too many pixels.')
    : refused('damaged', 'The image cannot be decoded; the file is damaged.')
}

export const refused = (code: string, message: string, params?: FieldError['params']) =>
  new ProblemError('image_refused', message, {
    errors: [{ path: 'file', code, message, ...(params && { params }) }],
  })
