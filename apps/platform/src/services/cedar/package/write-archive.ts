import type { PackedFile } from './entry-content.ts'
import { type PackageFile, readRange } from './package-file.ts'

const utf8Names = 0x0800
const version = 20
// 1 January 1980, the earliest date, so that the same files give the same archive.
const date = 0x0021
// A world-readable regular file, as on Unix.
const madeByUnix = (3 << 8) | version
const mode = 0o100644

/**
 * A new archive with another's files: their packed bytes unchanged, chunk by chunk, under our own
 * headers. Extra fields, comments, modes, dates and folders are dropped.
 */
export async function* writeArchive(
  file: PackageFile,
  files: readonly PackedFile[],
): AsyncGenerator<Buffer, void> {
  for (const packed of files) {
    yield localHeader(packed)
    yield* readRange(file, packed.start, packed.packedBytes)
  }
  yield archiveEnd(files)
}

/** The central directory and end record of an archive with these files, in this order. */
export function archiveEnd(files: readonly PackedFile[]): Buffer {
  const directory: Buffer[] = []
  let offset = 0
  for (const packed of files) {
    directory.push(centralHeader(packed, offset))
    offset += archivedBytes(packed)
  }
  const central = Buffer.concat(directory)
  return Buffer.concat([central, endRecord(files.length, central.length, offset)])
}

const localBytes = 30
const centralBytes = 46

/** A file's size in the archive, including its header. */
export const archivedBytes = ({ path, packedBytes }: PackedFile): number =>
  localBytes + Buffer.byteLength(path) + packedBytes

/** APPNOTE 4.3.7 and 4.3.12 have these fields in this order; the directory has more around them. */
function writeShared(header: Buffer, at: number, packed: PackedFile, name: Buffer): void {
  header.writeUInt16LE(version, at)
  header.writeUInt16LE(utf8Names, at + 2)
  header.writeUInt16LE(packed.method, at + 4)
  header.writeUInt16LE(date, at + 8)
  header.writeUInt32LE(packed.checksum, at + 10)
  header.writeUInt32LE(packed.packedBytes, at + 14)
  header.writeUInt32LE(packed.bytes, at + 18)
  header.writeUInt16LE(name.length, at + 22)
}

export function localHeader(packed: PackedFile): Buffer {
  const name = Buffer.from(packed.path)
  const header = Buffer.alloc(localBytes)
  header.writeUInt32LE(0x04034b50, 0)
  writeShared(header, 4, packed, name)
  return Buffer.concat([header, name])
}

function centralHeader(packed: PackedFile, offset: number): Buffer {
  const name = Buffer.from(packed.path)
  const header = Buffer.alloc(centralBytes)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(madeByUnix, 4)
  writeShared(header, 6, packed, name)
  header.writeUInt32LE((mode << 16) >>> 0, 38)
  header.writeUInt32LE(offset, 42)
  return Buffer.concat([header, name])
}

function endRecord(count: number, size: number, offset: number): Buffer {
  const record = Buffer.alloc(22)
  record.writeUInt32LE(0x06054b50, 0)
  record.writeUInt16LE(count, 8)
  record.writeUInt16LE(count, 10)
  record.writeUInt32LE(size, 12)
  record.writeUInt32LE(offset, 16)
  return record
}
