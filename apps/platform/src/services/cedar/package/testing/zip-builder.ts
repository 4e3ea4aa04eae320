import { crc32, deflateRawSync } from 'node:zlib'

/** A zip entry as written; every field besides name and data exists to forge it. */
export interface ZipEntry {
  name: string | Buffer
  data?: string | Buffer
  /** 0 stored, 8 deflate (the default); another number stores the data under that method. */
  method?: number
  flags?: number
  /** Unix mode, including type bits. */
  mode?: number
  madeBy?: number
  crc?: number
  /** The uncompressed size declared in both headers. */
  declaredSize?: number
  declaredCompressedSize?: number
  /** The packed bytes, instead of packing `data`. */
  packed?: Buffer
  extra?: Buffer
  /** Overrides in the local header. */
  local?: { name?: string; method?: number; flags?: number; crc?: number; size?: number }
  /** The offset in the central directory. */
  offset?: number
  /** Sizes and checksum after the data, zeros in the local header. */
  descriptor?: boolean
}

export interface ZipOptions {
  comment?: Buffer
  /** Bytes before the first entry; offsets count from the start of the file. */
  prefix?: Buffer
  end?: { disk?: number; entriesHere?: number; entries?: number; size?: number; offset?: number }
}

const UTF8_FLAG = 0x0800
const DESCRIPTOR_FLAG = 0x0008
const MADE_BY_UNIX = (3 << 8) | 20

interface Written {
  name: Buffer
  packed: Buffer
  method: number
  flags: number
  crc: number
  packedSize: number
  size: number
}

function resolve(entry: ZipEntry): Written {
  const name = Buffer.isBuffer(entry.name) ? entry.name : Buffer.from(entry.name)
  const data = Buffer.from(entry.data ?? '')
  const method = entry.method ?? (data.length === 0 ? 0 : 8)
  const packed = entry.packed ?? (method === 8 ? deflateRawSync(data) : data)
  return {
    name,
    packed,
    method,
    flags: (entry.flags ?? UTF8_FLAG) | (entry.descriptor ? DESCRIPTOR_FLAG : 0),
    crc: entry.crc ?? crc32(data),
    packedSize: entry.declaredCompressedSize ?? packed.length,
    size: entry.declaredSize ?? data.length,
  }
}

export function localHeader(entry: ZipEntry): Buffer {
  const { name, method, flags, crc, packedSize, size } = resolve(entry)
  const written = entry.local?.name === undefined ? name : Buffer.from(entry.local.name)
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(20, 4)
  header.writeUInt16LE(entry.local?.flags ?? flags, 6)
  header.writeUInt16LE(entry.local?.method ?? method, 8)
  header.writeUInt16LE(0x21, 12)
  header.writeUInt32LE(entry.local?.crc ?? (entry.descriptor ? 0 : crc), 14)
  header.writeUInt32LE(entry.descriptor ? 0 : packedSize, 18)
  header.writeUInt32LE(entry.local?.size ?? (entry.descriptor ? 0 : size), 22)
  header.writeUInt16LE(written.length, 26)
  return Buffer.concat([header, written])
}

export function centralHeader(entry: ZipEntry, offset: number): Buffer {
  const { name, method, flags, crc, packedSize, size } = resolve(entry)
  const extra = entry.extra ?? Buffer.alloc(0)
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(entry.madeBy ?? MADE_BY_UNIX, 4)
  header.writeUInt16LE(20, 6)
  header.writeUInt16LE(flags, 8)
  header.writeUInt16LE(method, 10)
  header.writeUInt16LE(0x21, 14)
  header.writeUInt32LE(crc, 16)
  header.writeUInt32LE(packedSize, 20)
  header.writeUInt32LE(size, 24)
  header.writeUInt16LE(name.length, 28)
  header.writeUInt16LE(extra.length, 30)
  header.writeUInt32LE(((entry.mode ?? 0) << 16) >>> 0, 38)
  header.writeUInt32LE(entry.offset ?? offset, 42)
  return Buffer.concat([header, name, extra])
}

function descriptor(entry: ZipEntry): Buffer {
  const { crc, packedSize, size } = resolve(entry)
  const bytes = Buffer.alloc(16)
  bytes.writeUInt32LE(0x08074b50, 0)
  bytes.writeUInt32LE(crc, 4)
  bytes.writeUInt32LE(packedSize, 8)
  bytes.writeUInt32LE(size, 12)
  return bytes
}

export function endRecord(
  count: number,
  size: number,
  offset: number,
  { comment = Buffer.alloc(0), end = {} }: ZipOptions = {},
): Buffer {
  const record = Buffer.alloc(22)
  record.writeUInt32LE(0x06054b50, 0)
  record.writeUInt16LE(end.disk ?? 0, 4)
  record.writeUInt16LE(end.entriesHere ?? end.entries ?? count, 8)
  record.writeUInt16LE(end.entries ?? count, 10)
  record.writeUInt32LE(end.size ?? size, 12)
  record.writeUInt32LE(end.offset ?? offset, 16)
  record.writeUInt16LE(comment.length, 20)
  return Buffer.concat([record, comment])
}

/** Builds a zip in memory, valid unless an entry or an option says otherwise. */
export function buildZip(entries: ZipEntry[], options: ZipOptions = {}): Buffer {
  const parts: Buffer[] = [options.prefix ?? Buffer.alloc(0)]
  const directory: Buffer[] = []
  let offset = options.prefix?.length ?? 0
  for (const entry of entries) {
    directory.push(centralHeader(entry, offset))
    const body = [localHeader(entry), resolve(entry).packed]
    if (entry.descriptor) body.push(descriptor(entry))
    parts.push(...body)
    offset += body.reduce((sum, part) => sum + part.length, 0)
  }
  const central = Buffer.concat(directory)
  return Buffer.concat([
    ...parts,
    central,
    endRecord(entries.length, central.length, offset, options),
  ])
}
