import type { Entry } from 'yauzl'
import { type PackageFile, readRange } from './package-file.ts'

export interface ArchivedFile {
  path: string
  entry: Entry
  start: number | null
}

const utf8Names = 0x0800
const version = 20
// 1 January 1980, the earliest date: the same files give the same archive.
const date = 0x0021
// A regular file that everybody may read, as Unix writes it.
const madeByUnix = (3 << 8) | version
const mode = 0o100644

/**
 * A new archive of files of another: their packed bytes as they are, one chunk at a time, under
 * headers of our own. Extra fields, comments, modes, dates and folders of the other are left out.
 */
export async function* writeArchive(
  file: PackageFile,
  files: readonly ArchivedFile[],
): AsyncGenerator<Buffer, void> {
  const directory: Buffer[] = []
  let offset = 0
  for (const { path, entry, start } of files) {
    if (start === null) throw new Error('A file whose header cannot be read was not refused.')
    const name = Buffer.from(path)
    const local = localHeader(entry, name)
    directory.push(centralHeader(entry, name, offset), name)
    yield local
    yield name
    yield* readRange(file, start, entry.compressedSize)
    offset += local.length + name.length + entry.compressedSize
  }
  const central = Buffer.concat(directory)
  yield central
  yield endRecord(files.length, central.length, offset)
}

/** APPNOTE 4.3.7 and 4.3.12 have these fields in this order; the directory has more around them. */
function writeShared(header: Buffer, at: number, entry: Entry, name: Buffer): void {
  header.writeUInt16LE(version, at)
  header.writeUInt16LE(utf8Names, at + 2)
  header.writeUInt16LE(entry.compressionMethod, at + 4)
  header.writeUInt16LE(date, at + 8)
  header.writeUInt32LE(entry.crc32, at + 10)
  header.writeUInt32LE(entry.compressedSize, at + 14)
  header.writeUInt32LE(entry.uncompressedSize, at + 18)
  header.writeUInt16LE(name.length, at + 22)
}

function localHeader(entry: Entry, name: Buffer): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  writeShared(header, 4, entry, name)
  return header
}

function centralHeader(entry: Entry, name: Buffer, offset: number): Buffer {
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(madeByUnix, 4)
  writeShared(header, 6, entry, name)
  header.writeUInt32LE((mode << 16) >>> 0, 38)
  header.writeUInt32LE(offset, 42)
  return header
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
