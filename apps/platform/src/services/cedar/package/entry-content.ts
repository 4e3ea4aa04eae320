import { crc32, createInflateRaw, inflateRawSync, type InflateRaw } from 'node:zlib'
import { createReferenceReader, hasReferences, type References } from './absolute-references.ts'
import { type ArchiveEntry, isBomb } from './archive-entries.ts'
import { MANIFEST_LIMIT, MANIFEST_PATH } from './manifest.ts'
import { createZipSearch, isArchive, isArchiveName, SIGNATURE_BYTES } from './nested-archive.ts'
import { readRange, type PackageFile } from './package-file.ts'
import type { PackageLimits } from './package-limits.ts'
import type { Findings } from './package-report.ts'

/** The position of a file's packed bytes, and its declared properties. */
export interface PackedFile {
  path: string
  method: number
  start: number
  packedBytes: number
  bytes: number
  checksum: number
}

/** @throws if the local header cannot be read, which is a finding that ends every check. */
export function packedOf({ path, entry, start }: ArchiveEntry): PackedFile {
  if (start === null) throw new Error('A file whose header cannot be read was not refused.')
  return {
    path,
    method: entry.compressionMethod,
    start,
    packedBytes: entry.compressedSize,
    bytes: entry.uncompressedSize,
    checksum: entry.crc32,
  }
}

/** A file's actual properties, whatever its headers say. */
export interface Content {
  /** At most one chunk more than declared. */
  inflated: number
  checksum: number
  /** Packed bytes that the inflater consumed. */
  used: number
  isCorrupt: boolean
  isArchive: boolean
  references: References | null
  manifest: Buffer | null
}

/** Inspects a file's bytes as they pass; keeps only its own small window of them. */
export interface ContentReader {
  write: (chunk: Buffer) => void
}

const chunkBytes = 64 * 1024
/** zlib's minimum. */
const leastChunkBytes = 64
/** Up to this size a file is inflated at once, in less than half the time of a stream. */
const smallBytes = 2 * 1024 * 1024

/**
 * Inflates one file, a large one chunk by chunk. Inflating stops at the first byte past the declared
 * size, which is already within the limits.
 */
export async function readContent(
  file: PackageFile,
  packed: PackedFile,
  /** Receives the packed bytes as they are read. */
  onPacked: (chunk: Buffer) => void = () => {},
): Promise<Content> {
  const { path } = packed
  const references = hasReferences(path) ? createReferenceReader() : null
  const manifest: Buffer[] | null =
    path === MANIFEST_PATH && packed.bytes <= MANIFEST_LIMIT ? [] : null
  const zipSearch = createZipSearch()
  let signature = Buffer.alloc(0)
  const content: Content = {
    inflated: 0,
    checksum: 0,
    used: packed.packedBytes,
    isCorrupt: false,
    isArchive: false,
    references: null,
    manifest: null,
  }
  async function* packedChunks() {
    for await (const chunk of readRange(file, packed.start, packed.packedBytes)) {
      onPacked(chunk)
      yield chunk
    }
  }
  const look = (chunk: Buffer) => {
    content.inflated += chunk.length
    if (content.inflated > packed.bytes) return false
    content.checksum = crc32(chunk, content.checksum)
    if (signature.length < SIGNATURE_BYTES)
      signature = Buffer.concat([signature, chunk.subarray(0, SIGNATURE_BYTES)])
    zipSearch.write(chunk)
    references?.write(chunk)
    manifest?.push(Buffer.from(chunk))
    return true
  }
  try {
    const small = await inflateSmall(file, packed)
    if (small) {
      content.used = small.used
      look(small.data)
      onPacked(small.packed)
    } else if (packed.method === 8) {
      const inflater = inflate(packedChunks())
      for await (const chunk of inflater as AsyncIterable<Buffer>) if (!look(chunk)) break
      content.used = inflater.bytesWritten
    } else {
      for await (const chunk of packedChunks()) if (!look(chunk)) break
    }
  } catch {
    content.isCorrupt = true
  }
  content.isArchive = isArchive(signature) || zipSearch.isFound()
  content.references = references?.end() ?? null
  content.manifest = manifest && Buffer.concat(manifest)
  return content
}

/** Undefined if the file is large, or anything is wrong: the stream tells what. */
async function inflateSmall(file: PackageFile, { method, start, packedBytes, bytes }: PackedFile) {
  if (method !== 8 || packedBytes > smallBytes || bytes > smallBytes) return undefined
  if (!(await file.until(start + packedBytes))) return undefined
  const packed = Buffer.allocUnsafeSlow(packedBytes)
  if (file.read(packed, start) !== packedBytes) return undefined
  try {
    const result: unknown = inflateRawSync(packed, {
      maxOutputLength: bytes + 1,
      chunkSize: Math.max(bytes + 1, leastChunkBytes),
      info: true,
    })
    const { buffer, engine } = result as { buffer: Buffer; engine: InflateRaw }
    return { packed, data: buffer, used: engine.bytesWritten }
  } catch {
    return undefined
  }
}

/** Our own stream: yauzl's cannot tell how much of the packed data was used. */
function inflate(chunks: AsyncIterable<Buffer>): InflateRaw {
  const inflater = createInflateRaw({ chunkSize: chunkBytes })
  const feed = async () => {
    for await (const chunk of chunks)
      await new Promise<void>((resolve, reject) => {
        inflater.write(chunk, (error) => (error ? reject(error) : resolve()))
      })
    inflater.end()
  }
  feed().catch((error: unknown) => inflater.destroy(error as Error))
  return inflater
}

/** Compares a file's content with what the archive declares. @returns whether they agree. */
export function judgeContent(
  { path, entry }: ArchiveEntry,
  content: Content,
  limits: PackageLimits,
  findings: Findings,
): boolean {
  const { compressedSize, uncompressedSize, compressionMethod } = entry
  let isGood = false
  if (content.isCorrupt) findings.add('corrupt-data', path)
  else if (content.inflated !== uncompressedSize)
    findings.add('size-mismatch', path, { declared: uncompressedSize })
  // Bytes after the end of the deflate stream are seen by no reader, or only by some.
  else if (compressionMethod === 8 && content.used !== compressedSize)
    findings.add('corrupt-data', path)
  else if (content.checksum !== entry.crc32) findings.add('checksum-mismatch', path)
  else isGood = true
  if (isGood && content.references) findings.add('absolute-reference', path, content.references)
  if (isBomb(content.inflated, compressedSize, limits))
    findings.add('compression-ratio', path, { limit: limits.ratio })
  if (content.isArchive || isArchiveName(path)) findings.add('nested-archive', path)
  return isGood
}
