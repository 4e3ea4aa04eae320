import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Entry, ZipFile } from 'yauzl'
import { readArchive } from './check-package.ts'
import type { PackageLimits } from './package-limits.ts'
import { planRepairs, type RepairPlan } from './package-repairs.ts'
import { createFindings } from './package-report.ts'

/**
 * The archive with its repairs made, as a new archive; undefined if it cannot be repaired. The
 * packed bytes of each file are copied as they are, one chunk at a time, under headers written
 * anew. The result is not to be trusted before it is checked like any upload.
 */
export async function repairPackage<T>(
  file: string,
  limits: PackageLimits,
  use: (repaired: Readable, plan: RepairPlan) => Promise<T>,
): Promise<T | undefined> {
  const findings = createFindings()
  const handle = await open(file, 'r')
  try {
    const archive = await readArchive(file, handle, limits, findings)
    if (!archive) return undefined
    try {
      const plan = planRepairs(archive.entries, findings)
      return plan && (await use(Readable.from(writeArchive(archive.zip, plan.files)), plan))
    } finally {
      archive.zip.close()
    }
  } finally {
    await handle.close()
  }
}

const utf8Names = 0x0800
const version = 20

async function* writeArchive(
  zip: ZipFile,
  files: RepairPlan['files'],
): AsyncGenerator<Buffer, void> {
  const directory: Buffer[] = []
  let offset = 0
  for (const { path, entry } of files) {
    const name = Buffer.from(path)
    const local = localHeader(entry, name)
    directory.push(centralHeader(entry, name, offset), name)
    yield local
    yield name
    // `decodeFileData: false` gives the bytes as they are packed.
    const packed = await zip.openReadStreamPromise(entry, { decodeFileData: false })
    for await (const chunk of packed as AsyncIterable<Buffer>) yield chunk
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
  header.writeUInt16LE(entry.lastModFileTime, at + 6)
  header.writeUInt16LE(entry.lastModFileDate, at + 8)
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
  header.writeUInt16LE(version, 4)
  writeShared(header, 6, entry, name)
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
