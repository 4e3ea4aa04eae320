import { buffer } from 'node:stream/consumers'
import { atMost } from '../../../core/at-most.ts'
import type { ObjectStore } from '../../../core/objects/object-store.ts'
import type { PackageFile } from '../package/package-file.ts'
import { defaultPackageLimits } from '../package/package-limits.ts'
import { createFindings } from '../package/package-report.ts'
import { readArchive } from '../package/read-archive.ts'

/** The position of a file's packed bytes in its archive. */
export interface PackedFile {
  packed: Buffer
  /** 0 stored, 8 deflate. */
  method: number
  /** Inflated. */
  bytes: number
  crc32: number
}

/** The files of a package by path. */
export type PreviewPackage = ReadonlyMap<string, PackedFile>

export interface PreviewPackages {
  /** Undefined if the store has no such package. */
  open: (sha256: string) => Promise<PreviewPackage | undefined>
  close: () => void
}

interface Held {
  package: Promise<PreviewPackage | undefined>
  bytes: number
  usedAt: number
}

const maxBytes = 64 * 1024 * 1024
const idleMs = 2 * 60_000

/**
 * An in-memory cache of previewed packages, since the store only streams, and hashes what it streams.
 * The most recently used stay, up to a number of bytes and for two minutes.
 */
export function previewPackages(objects: ObjectStore, most = maxBytes): PreviewPackages {
  const held = new Map<string, Held>()
  const inTurn = atMost(2)
  const drop = () => {
    let bytes = 0
    for (const [sha256, entry] of [...held].reverse()) {
      bytes += entry.bytes
      if (bytes > most || performance.now() - entry.usedAt > idleMs) held.delete(sha256)
    }
  }
  const timer = setInterval(drop, idleMs / 4)
  timer.unref()
  const load = async (sha256: string, entry: Held) => {
    const object = await objects.read(sha256)
    if (!object) return undefined
    const archive = await buffer(object.stream)
    entry.bytes = archive.length
    drop()
    return readPackage(archive)
  }
  return {
    open: (sha256) => {
      const known = held.get(sha256)
      const entry: Held = known ?? { package: Promise.resolve(undefined), bytes: 0, usedAt: 0 }
      if (!known) {
        entry.package = inTurn(() => load(sha256, entry))
        // What is missing or damaged now may be there later.
        entry.package.then(
          (found) => found ?? held.delete(sha256),
          () => held.delete(sha256),
        )
      }
      entry.usedAt = performance.now()
      // Last in the map's order: most recently used.
      held.delete(sha256)
      held.set(sha256, entry)
      return entry.package
    },
    close: () => clearInterval(timer),
  }
}

async function readPackage(archive: Buffer): Promise<PreviewPackage> {
  const file: PackageFile = {
    size: () => archive.length,
    read: (into, position) => archive.copy(into, 0, position, position + into.length),
    until: async (end) => end <= archive.length,
    close: () => {},
  }
  const entries = await readArchive(file, defaultPackageLimits, createFindings())
  if (!entries) throw new Error('The package passed its check and cannot be read again.')
  const files = new Map<string, PackedFile>()
  for (const { path, isFolder, start, entry } of entries)
    if (!isFolder && start !== null)
      files.set(path, {
        packed: archive.subarray(start, start + entry.compressedSize),
        method: entry.compressionMethod,
        bytes: entry.uncompressedSize,
        crc32: entry.crc32,
      })
  return files
}
