import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { inflateRawSync } from 'node:zlib'
import { readJson } from '../../../core/json-depth.ts'
import { MANIFEST_LIMIT, MANIFEST_PATH } from './manifest.ts'
import { openPackageFile, type PackageFile } from './package-file.ts'
import type { PackageLimits } from './package-limits.ts'
import { createFindings } from './package-report.ts'
import { readArchive } from './read-archive.ts'

/** One file of a package, and the position of its packed bytes. */
export interface IndexedFile {
  path: string
  bytes: number
  sha256: string
  start: number
  packedBytes: number
  /** Deflated if true, otherwise stored. */
  isDeflated: boolean
}

export interface PackageIndex {
  /** By path. */
  files: IndexedFile[]
  /** The manifest as JSON; null if it cannot be read. */
  manifest: string | null
}

// The maximum that the check of another package waits for.
const bytesATurn = 4 * 1024 * 1024

/** Hashes the files of a package that passed its check, one in memory at a time. */
export async function indexPackage(path: string, limits: PackageLimits): Promise<PackageIndex> {
  const file = openPackageFile(path)
  try {
    const entries = await readArchive(file, limits, createFindings())
    if (!entries) throw new Error('The archive passed its check and cannot be read again.')
    const index: PackageIndex = { files: [], manifest: null }
    let bytes = 0
    for (const { path: name, isFolder, entry, start } of entries) {
      if (isFolder || start === null) continue
      const place = {
        start,
        packedBytes: entry.compressedSize,
        isDeflated: entry.compressionMethod === 8,
      }
      const content = readPacked(file, place, limits.fileBytes)
      const sha256 = createHash('sha256').update(content).digest('hex')
      index.files.push({ path: name, bytes: content.length, sha256, ...place })
      if (name === MANIFEST_PATH && content.length <= MANIFEST_LIMIT)
        index.manifest = jsonOf(content)
      bytes += content.length
      if (bytes < bytesATurn) continue
      bytes = 0
      await setImmediate()
    }
    index.files.sort((a, b) => (a.path < b.path ? -1 : 1))
    return index
  } finally {
    file.close()
  }
}

type Place = Pick<IndexedFile, 'start' | 'packedBytes' | 'isDeflated'>

function readPacked(file: PackageFile, place: Place, most: number): Buffer {
  const packed = Buffer.allocUnsafeSlow(place.packedBytes)
  if (file.read(packed, place.start) !== place.packedBytes)
    throw new Error('The package ends in the middle of a file.')
  return place.isDeflated ? inflateRawSync(packed, { maxOutputLength: most }) : packed
}

function jsonOf(content: Buffer): string | null {
  try {
    return JSON.stringify(readJson(new TextDecoder().decode(content)))
  } catch {
    return null
  }
}
