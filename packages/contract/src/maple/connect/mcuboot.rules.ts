/**
 * MCUboot images: a header, the program, and TLVs that contain its hash and signatures. The numbers
 * are those of `bootutil/image.h`; all are little-endian.
 */
export const headerMagic = 0x96f3_b83d
export const protectedMagic = 0x6908
export const unprotectedMagic = 0x6907
export const smallestHeader = 32
const infoSize = 4
/** Maximum part of a value in a description. */
export const shownBytes = 512
/** No image has this many; a file that claims so is not an image. */
export const maxTlvs = 128

export const tlvTypes = {
  keyHash: 0x01,
  publicKey: 0x02,
  sha256: 0x10,
  sha384: 0x11,
  sha512: 0x12,
  rsa2048: 0x20,
  ecdsa: 0x22,
  rsa3072: 0x23,
  ed25519: 0x24,
  pureSignature: 0x25,
  encryptedKeyRsa: 0x30,
  encryptedKeyAes: 0x31,
  encryptedKeyEc: 0x32,
  encryptedKeyX25519: 0x33,
  dependency: 0x40,
  securityCounter: 0x50,
  bootRecord: 0x60,
  decompressedSize: 0x70,
  decompressedHash: 0x71,
  decompressedSignature: 0x72,
  vendorId: 0x80,
  classId: 0x81,
} as const
export type TlvName = keyof typeof tlvTypes

/** The name of a tag; undefined for a vendor's. */
export const tlvName = (type: number): TlvName | undefined =>
  (Object.keys(tlvTypes) as TlvName[]).find((name) => tlvTypes[name] === type)

export const imageFlags = {
  positionIndependent: 0x1,
  encryptedAes128: 0x4,
  encryptedAes256: 0x8,
  nonBootable: 0x10,
  ramLoad: 0x20,
  romFixed: 0x100,
  compressedLzma1: 0x200,
  compressedLzma2: 0x400,
  compressedArmThumb: 0x800,
} as const
export type ImageFlag = keyof typeof imageFlags

export const flagsOf = (flags: number): ImageFlag[] =>
  (Object.keys(imageFlags) as ImageFlag[]).filter((name) => (flags & imageFlags[name]) !== 0)

/** What is wrong with an image. */
export const mcubootErrors = [
  'cutOff',
  'wrongMagic',
  'wrongHeaderSize',
  'emptyProgram',
  'wrongTlvMagic',
  'wrongTlvSize',
  'wrongTlvLength',
  'tooManyTlvs',
  'missingHash',
  'repeatedHash',
] as const
export type McubootErrorCode = (typeof mcubootErrors)[number]

const texts: Record<McubootErrorCode, string> = {
  cutOff: 'The file ends too early',
  wrongMagic: 'The file does not begin like an image of MCUboot',
  wrongHeaderSize: 'The header is too short',
  emptyProgram: 'The image has no program',
  wrongTlvMagic: 'There are no tags where they must be',
  wrongTlvSize: 'The size of the tags differs from what they say',
  wrongTlvLength: 'A value has another length than its tag needs',
  tooManyTlvs: 'There are too many tags',
  missingHash: 'The image has no SHA-256',
  repeatedHash: 'The image has more than one SHA-256',
}

interface Details {
  expected?: string
  found?: string
}

/** The only error that parsing an image throws. It names the byte at which the file is wrong. */
export class McubootError extends Error {
  override readonly name = 'McubootError'
  readonly code: McubootErrorCode
  readonly offset: number
  readonly expected: string | undefined
  readonly found: string | undefined

  constructor(code: McubootErrorCode, offset: number, { expected, found }: Details = {}) {
    const wanted = expected === undefined ? '' : `, expected ${expected}`
    super(`${texts[code]}: byte ${offset}${wanted}${found === undefined ? '' : `, found ${found}`}`)
    this.code = code
    this.offset = offset
    this.expected = expected
    this.found = found
  }
}

export interface Tlv {
  type: number
  /** The hash and the signatures cover it. */
  isProtected: boolean
  /** Of the tag in the file; its value is four bytes further. */
  offset: number
  length: number
  /** The value in hex, up to `shownBytes` of it. */
  hex: string
}

export interface McubootImage {
  /** Such as `1.2.3`, or `1.2.3+4` with a build number. */
  version: string
  loadAddress: number
  headerSize: number
  /** Of the program only. */
  imageSize: number
  /** Of the protected tags, 0 without any. */
  protectedSize: number
  flags: number
  /** The first 32 bytes in hex. */
  header: string
  tlvs: Tlv[]
  /** The SHA-256 declared in the image. */
  hash: string
  /** The end of the tags; what follows belongs to the slot in the device. */
  end: number
  bytes: number
}

const hexOf = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
const hexNumber = (value: number) => `0x${value.toString(16)}`

/** The range covered by the hash and the signatures: this many bytes from the start. */
export const signedSize = ({ headerSize, imageSize, protectedSize }: McubootImage): number =>
  headerSize + imageSize + protectedSize

/**
 * Parses an image without verifying its hash and signatures. Values are checked if their length is
 * fixed.
 * @throws McubootError
 */
export function readMcuboot(bytes: Uint8Array): McubootImage {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const assertAllowed = (from: number, size: number) => {
    if (from + size > bytes.length)
      throw new McubootError('cutOff', bytes.length, { expected: String(from + size) })
  }
  assertAllowed(0, 4)
  const magic = view.getUint32(0, true)
  if (magic !== headerMagic)
    throw new McubootError('wrongMagic', 0, {
      expected: hexNumber(headerMagic),
      found: hexNumber(magic),
    })
  assertAllowed(0, smallestHeader)
  const headerSize = view.getUint16(8, true)
  const protectedSize = view.getUint16(10, true)
  const imageSize = view.getUint32(12, true)
  if (headerSize < smallestHeader)
    throw new McubootError('wrongHeaderSize', 8, {
      expected: String(smallestHeader),
      found: String(headerSize),
    })
  if (imageSize === 0) throw new McubootError('emptyProgram', 12)
  assertAllowed(0, headerSize + imageSize)
  const build = view.getUint32(24, true)
  const version = `${view.getUint8(20)}.${view.getUint8(21)}.${view.getUint16(22, true)}`

  const tlvs: Tlv[] = []
  const start = headerSize + imageSize
  if (protectedSize > 0) readTlvs(start, protectedMagic, protectedSize)
  const end = readTlvs(start + protectedSize, unprotectedMagic)
  const hashes = tlvs.filter(({ type }) => type === tlvTypes.sha256)
  const [hash, second] = hashes
  if (!hash) throw new McubootError('missingHash', end)
  if (second) throw new McubootError('repeatedHash', second.offset)
  return {
    version: build === 0 ? version : `${version}+${build}`,
    loadAddress: view.getUint32(4, true),
    headerSize,
    imageSize,
    protectedSize,
    flags: view.getUint32(16, true),
    header: hexOf(bytes.subarray(0, smallestHeader)),
    tlvs,
    hash: hash.hex,
    end,
    bytes: bytes.length,
  }

  /** Returns their end. */
  function readTlvs(from: number, wanted: number, size?: number): number {
    assertAllowed(from, infoSize)
    const found = view.getUint16(from, true)
    if (found !== wanted)
      throw new McubootError('wrongTlvMagic', from, {
        expected: hexNumber(wanted),
        found: hexNumber(found),
      })
    const total = view.getUint16(from + 2, true)
    if (total < infoSize || (size !== undefined && total !== size))
      throw new McubootError('wrongTlvSize', from + 2, {
        expected: String(size ?? infoSize),
        found: String(total),
      })
    assertAllowed(from, total)
    const last = from + total
    let offset = from + infoSize
    while (offset < last) {
      if (offset + 4 > last) throw new McubootError('wrongTlvSize', offset)
      const type = view.getUint16(offset, true)
      const length = view.getUint16(offset + 2, true)
      const value = offset + 4
      if (value + length > last)
        throw new McubootError('wrongTlvSize', offset + 2, {
          expected: String(last - value),
          found: String(length),
        })
      checkLength(type, length, offset)
      if (tlvs.length === maxTlvs) throw new McubootError('tooManyTlvs', offset)
      tlvs.push({
        type,
        isProtected: wanted === protectedMagic,
        offset,
        length,
        hex: hexOf(bytes.subarray(value, value + Math.min(length, shownBytes))),
      })
      offset = value + length
    }
    return last
  }
}

const lengths: Partial<Record<number, number>> = {
  [tlvTypes.sha256]: 32,
  [tlvTypes.sha384]: 48,
  [tlvTypes.sha512]: 64,
  [tlvTypes.rsa2048]: 256,
  [tlvTypes.rsa3072]: 384,
  [tlvTypes.ed25519]: 64,
  [tlvTypes.securityCounter]: 4,
}

function checkLength(type: number, length: number, offset: number): void {
  const expected = lengths[type]
  if (expected !== undefined && length !== expected)
    throw new McubootError('wrongTlvLength', offset + 2, {
      expected: String(expected),
      found: String(length),
    })
}

/** A part of the file, one after the other without a gap. */
export interface ImagePart {
  name: HeaderField | 'headerPadding' | 'program' | 'tlvInfo' | 'tlv' | 'trailer'
  from: number
  to: number
  /** Of a tag or of the beginning of tags. */
  isProtected?: boolean
  tlv?: Tlv
}

const headerFields = [
  ['magic', 4],
  ['loadAddress', 4],
  ['headerSize', 2],
  ['protectedSize', 2],
  ['imageSize', 4],
  ['flags', 4],
  ['version', 8],
  ['reserved', 4],
] as const
export type HeaderField = (typeof headerFields)[number][0]

/** The whole file in parts, from its first byte to its last. */
export function partsOf(image: McubootImage): ImagePart[] {
  const parts: ImagePart[] = []
  let at = 0
  const add = (size: number, part: Omit<ImagePart, 'from' | 'to'>) => {
    if (size > 0) parts.push({ ...part, from: at, to: at + size })
    at += size
  }
  for (const [name, size] of headerFields) add(size, { name })
  add(image.headerSize - at, { name: 'headerPadding' })
  add(image.imageSize, { name: 'program' })
  for (const isProtected of [true, false]) {
    if (isProtected && image.protectedSize === 0) continue
    add(infoSize, { name: 'tlvInfo', isProtected })
    for (const tlv of image.tlvs.filter((each) => each.isProtected === isProtected))
      add(4 + tlv.length, { name: 'tlv', isProtected, tlv })
  }
  add(image.bytes - at, { name: 'trailer' })
  return parts
}
