import type { ImageLimits } from '@grove/contract/cedar/storage.rules'
import type { FieldError } from '@grove/contract'
import sharp, { type Sharp } from 'sharp'
import { ProblemError } from '../../../core/http/problem.ts'

export interface EncodedImage {
  bytes: Buffer
  mediaType: 'image/png' | 'image/jpeg'
  width: number
  height: number
}

/**
 * Decodes an image and encodes it again, so that only pixels are kept: no EXIF location, no second
 * file hidden behind the first. The bytes decide the type, not the name.
 */
export async function encodeImage(input: Buffer, rules: ImageLimits): Promise<EncodedImage> {
  const mediaType = sniff(input)
  if (mediaType === undefined) throw refused('type', 'The file is neither a PNG nor a JPEG image.')
  if (mediaType === 'image/png' && isAnimated(input))
    throw refused('animated', 'The image is animated; send a still one.')
  const image = open(input, rules)
  const { autoOrient } = await image.metadata().catch(asRefused)
  checkSides(autoOrient.width, autoOrient.height, rules)
  const upright = image.autoOrient()
  const encoded = mediaType === 'image/png' ? upright.png() : upright.jpeg({ quality: 90 })
  const { data, info } = await encoded.toBuffer({ resolveWithObject: true }).catch(asRefused)
  return { bytes: data, mediaType, width: info.width, height: info.height }
}

// The pixel limit stops a decompression bomb, whatever its header says.
const open = (input: Buffer, { mostSide }: ImageLimits): Sharp =>
  sharp(input, { limitInputPixels: mostSide * mostSide, failOn: 'error' })

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

function sniff(bytes: Buffer): EncodedImage['mediaType'] | undefined {
  if (bytes.subarray(0, 8).equals(pngSignature)) return 'image/png'
  return bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff ? 'image/jpeg' : undefined
}

/** An animated PNG has an `acTL` chunk before its first data; decoders may show one frame only. */
function isAnimated(png: Buffer): boolean {
  let at = pngSignature.length
  while (at + 8 <= png.length) {
    const type = png.toString('latin1', at + 4, at + 8)
    if (type === 'acTL') return true
    if (type === 'IDAT') return false
    at += 12 + png.readUInt32BE(at)
  }
  return false
}

function checkSides(width: number, height: number, rules: ImageLimits): void {
  const { leastSide, mostSide, mostRatio } = rules
  const short = Math.min(width, height)
  const long = Math.max(width, height)
  if (short < leastSide || long > mostSide)
    throw refused(
      'size',
      `The image has ${width} × ${height} pixels; each side must have ${leastSide} to ${mostSide}.`,
      { leastSide, mostSide },
    )
  if (long / short > mostRatio)
    throw refused(
      'ratio',
      mostRatio === 1
        ? `The image has ${width} × ${height} pixels; it must be square.`
        : `The image has ${width} × ${height} pixels; the long side may be at most ${mostRatio} times the short one.`,
      { mostRatio },
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
