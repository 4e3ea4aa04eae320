import type { Readable } from 'node:stream'
import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib'
import type { ZipFile } from 'yauzl'
import { type ArchiveEntry, isBomb } from './archive-entries.ts'
import { createZipSearch, isArchive, isArchiveName, SIGNATURE_BYTES } from './nested-archive.ts'
import type { PackageLimits } from './package-limits.ts'
import type { Findings } from './package-report.ts'

/** Looks at a file's bytes as they pass; keeps none of them beyond its own small window. */
export interface ContentReader {
  write(chunk: Buffer): void
  end(): void
}

const CHUNK = 64 * 1024

/**
 * Inflates one entry and checks its size, checksum and kind, holding one chunk at a time.
 * Inflating stops at the first byte past the declared size, which is within the limits already.
 * @returns the bytes inflated.
 */
export async function checkContent(
  zip: ZipFile,
  { path, entry }: ArchiveEntry,
  limits: PackageLimits,
  findings: Findings,
  reader: ContentReader | null,
): Promise<number> {
  let inflated = 0
  let checksum = 0
  let signature = Buffer.alloc(0)
  const zipSearch = createZipSearch()
  try {
    const packed = await zip.openReadStreamPromise(entry, { decodeFileData: false })
    const inflater = entry.compressionMethod === 8 ? inflate(packed) : null
    const data: AsyncIterable<Buffer> = inflater ?? packed
    for await (const chunk of data) {
      inflated += chunk.length
      if (inflated > entry.uncompressedSize) break
      checksum = crc32(chunk, checksum)
      if (signature.length < SIGNATURE_BYTES) {
        signature = Buffer.concat([signature, chunk.subarray(0, SIGNATURE_BYTES)])
      }
      zipSearch.write(chunk)
      reader?.write(chunk)
    }
    if (inflated !== entry.uncompressedSize) {
      findings.add('size-mismatch', path, { declared: entry.uncompressedSize })
    } else if (inflater && inflater.bytesWritten !== entry.compressedSize) {
      // Bytes after the end of the deflate stream are seen by no reader, or only by some.
      findings.add('corrupt-data', path)
    } else if (checksum !== entry.crc32) {
      findings.add('checksum-mismatch', path)
    } else {
      reader?.end()
    }
  } catch {
    findings.add('corrupt-data', path)
  }
  if (isBomb(inflated, entry.compressedSize, limits)) {
    findings.add('compression-ratio', path, { limit: limits.ratio })
  }
  if (isArchive(signature) || zipSearch.isFound() || isArchiveName(path))
    findings.add('nested-archive', path)
  return inflated
}

/**
 * Our own inflater: yauzl's keeps its native memory until it is collected, and cannot tell how
 * much of the packed data was used.
 */
function inflate(packed: Readable): InflateRaw {
  const inflater = createInflateRaw({ chunkSize: CHUNK })
  packed.on('error', (error) => inflater.destroy(error))
  inflater.on('close', () => packed.destroy())
  return packed.pipe(inflater)
}
