import { Inflate } from 'fflate'
import { CapError } from './cap-error.ts'

export const largestArchive = 4 * 1024 * 1024
export const maxEntries = 512

/** A directory entry of the archive; its data is not read yet. */
export interface ZipEntry {
  name: string
  /** The uncompressed size in bytes that the archive claims. */
  size: number
  compressedSize: number
  isDeflated: boolean
  isEncrypted: boolean
  checksum: number
  headerFrom: number
}

const endSignature = 0x06054b50
const endLength = 22
const entrySignature = 0x02014b50
const entryLength = 46
const localSignature = 0x04034b50
const localLength = 30
const stored = 0
const deflated = 8

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
const name = new TextDecoder()

/** The offset of the end-of-central-directory record. A comment of any length may follow it. */
function endOf(view: DataView): number {
  const first = Math.max(0, view.byteLength - endLength - 0xffff)
  for (let at = view.byteLength - endLength; at >= first; at--)
    if (
      view.getUint32(at, true) === endSignature &&
      at + endLength + view.getUint16(at + 20, true) === view.byteLength
    )
      return at
  throw new CapError('notZip')
}

/** Lists the entries of a ZIP archive from its central directory (PKWARE APPNOTE 6.3.9, 4.3). */
export function zipEntries(archive: Uint8Array): ZipEntry[] {
  if (archive.length > largestArchive)
    throw new CapError('tooLarge', { expected: `${largestArchive}`, found: `${archive.length}` })
  const view = viewOf(archive)
  const end = endOf(view)
  const count = view.getUint16(end + 10, true)
  const size = view.getUint32(end + 12, true)
  const from = view.getUint32(end + 16, true)
  if (view.getUint16(end + 4, true) !== 0 || from === 0xffff_ffff)
    throw new CapError('unsupportedZip')
  if (count > maxEntries)
    throw new CapError('tooManyEntries', { expected: `${maxEntries}`, found: `${count}` })
  if (from + size > end) throw new CapError('notZip')
  const entries: ZipEntry[] = []
  const names = new Set<string>()
  for (let at = from; entries.length < count;) {
    if (at + entryLength > end || view.getUint32(at, true) !== entrySignature)
      throw new CapError('notZip')
    const nameLength = view.getUint16(at + 28, true)
    const next =
      at + entryLength + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
    if (next > end) throw new CapError('notZip')
    const entry = entryAt(archive, view, at, nameLength)
    if (names.has(entry.name)) throw new CapError('duplicateEntry', { entry: entry.name })
    names.add(entry.name)
    entries.push(entry)
    at = next
  }
  return entries
}

const entryAt = (
  archive: Uint8Array,
  view: DataView,
  at: number,
  nameLength: number,
): ZipEntry => ({
  name: name.decode(archive.subarray(at + entryLength, at + entryLength + nameLength)),
  isEncrypted: (view.getUint16(at + 8, true) & 0x01) !== 0,
  isDeflated: methodOf(view.getUint16(at + 10, true)) === deflated,
  checksum: view.getUint32(at + 16, true),
  compressedSize: view.getUint32(at + 20, true),
  size: view.getUint32(at + 24, true),
  headerFrom: view.getUint32(at + 42, true),
})

function methodOf(method: number): number {
  if (method !== stored && method !== deflated)
    throw new CapError('unsupportedZip', { expected: '0 / 8', found: `${method}` })
  return method
}

/** Reads one entry of at most `largest` bytes and verifies its checksum. */
export function readEntry(archive: Uint8Array, entry: ZipEntry, largest: number): Uint8Array {
  const { name: at, size, compressedSize, headerFrom } = entry
  if (entry.isEncrypted) throw new CapError('encrypted', { entry: at })
  if (size > largest)
    throw new CapError('tooLarge', { entry: at, expected: `${largest}`, found: `${size}` })
  const view = viewOf(archive)
  if (headerFrom + localLength > archive.length) throw new CapError('corruptEntry', { entry: at })
  if (view.getUint32(headerFrom, true) !== localSignature)
    throw new CapError('corruptEntry', { entry: at })
  const from =
    headerFrom +
    localLength +
    view.getUint16(headerFrom + 26, true) +
    view.getUint16(headerFrom + 28, true)
  const to = from + compressedSize
  if (to > archive.length) throw new CapError('corruptEntry', { entry: at })
  const packed = archive.subarray(from, to)
  const data = entry.isDeflated ? inflated(packed, size) : packed.slice()
  if (data?.length !== size || crc32(data) !== entry.checksum)
    throw new CapError('corruptEntry', { entry: at })
  return data
}

/** Chunk size, so that inflating never produces much more than the claimed size. */
const inflatedAtOnce = 2048

/** Undefined if the data is damaged or longer than claimed. */
function inflated(packed: Uint8Array, size: number): Uint8Array | undefined {
  const data = new Uint8Array(size)
  let length = 0
  const inflate = new Inflate((chunk) => {
    if (length + chunk.length > size) throw new RangeError('longer than announced')
    data.set(chunk, length)
    length += chunk.length
  })
  try {
    for (let at = 0; at < packed.length; at += inflatedAtOnce)
      inflate.push(packed.subarray(at, at + inflatedAtOnce), at + inflatedAtOnce >= packed.length)
  } catch {
    return undefined
  }
  return length === size ? data : undefined
}

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++)
    value = (value & 1) === 0 ? value >>> 1 : (value >>> 1) ^ 0xedb8_8320
  return value
})

export function crc32(data: Uint8Array): number {
  let value = 0xffff_ffff
  for (const byte of data) value = (value >>> 8) ^ (table[(value ^ byte) & 0xff] ?? 0)
  return (value ^ 0xffff_ffff) >>> 0
}
