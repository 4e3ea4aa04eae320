import type { Entry, LocalFileHeader, ZipFile } from 'yauzl'
import type { EndRecord } from './end-record.ts'
import { checkName, createNameIndex, decodeName, shownName } from './entry-name.ts'
import { createLookAlikes } from './look-alike-name.ts'
import type { PackageFile } from './package-file.ts'
import type { PackageLimits } from './package-limits.ts'
import type { Findings } from './package-report.ts'

export interface ArchiveEntry {
  /** With slashes, even if the archive has backslashes. */
  path: string
  /** The name in the archive. */
  name: string
  isFolder: boolean
  entry: Entry
  /** The offset of its packed bytes; null if its local header cannot be read. */
  start: number | null
}

interface Range {
  path: string
  start: number
  end: number
  entry: Entry
  local: LocalFileHeader
}

const FLAG_ENCRYPTED = 0x0001
const FLAG_DESCRIPTOR = 0x0008
const FLAG_STRONG_ENCRYPTION = 0x0040
const FLAG_MASKED_HEADERS = 0x2000
const METHOD_AES = 99
const EXTRA_ZIP64 = 0x0001
const EXTRA_UNICODE_PATH = 0x7075
const S_IFMT = 0o170000
const S_IFDIR = 0o040000
const S_IFREG = 0o100000

/**
 * Reads the archive's two lists of files, central and local, and checks everything that can be
 * checked without inflating. Stops early only if continuing would cost more than it tells.
 */
export async function readEntries(
  zip: ZipFile,
  file: PackageFile,
  end: EndRecord,
  limits: PackageLimits,
  findings: Findings,
): Promise<ArchiveEntry[] | null> {
  const entries: ArchiveEntry[] = []
  const ranges: Range[] = []
  const names = createNameIndex()
  const looks = createLookAlikes(findings)
  let directorySize = 0
  let declaredBytes = 0
  let files = 0
  let folders = 0
  try {
    for await (const entry of zip.eachEntry()) {
      directorySize += 46 + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength
      const shown = shownName(entry.fileNameRaw)
      const isFolder = /[/\\]$/.test(shown)
      if (isFolder) folders += 1
      else files += 1
      if (files > limits.files || folders > limits.files) {
        findings.add('too-many-files', null, { limit: limits.files })
        return null
      }
      if (entry.extraFields.some((field) => field.id === EXTRA_ZIP64)) {
        findings.add('zip64', shown)
        continue
      }
      const path = checkEntryName(entry, limits, findings)
      if (path !== null) names.add(path, findings)
      if (path !== null && !isFolder) looks.add(path)
      checkKind(entry, shown, isFolder, findings)

      declaredBytes += entry.uncompressedSize
      checkSize(entry, shown, limits, findings)
      const range = await readLocalRange(zip, entry, shown, end, findings)
      if (range) ranges.push(range)
      const start = range?.local.fileDataStart ?? null
      if (path !== null) entries.push({ path, name: shown, isFolder, entry, start })
    }
  } catch (error) {
    if (isStrongEncryption(error)) findings.add('encrypted')
    else findings.add('central-directory', null, { reason: 'an entry in it cannot be read' })
    return null
  }
  if (directorySize !== end.directorySize) {
    findings.add('central-directory', null, { reason: 'its length is not the one declared' })
  }
  if (declaredBytes > limits.inflatedBytes) {
    findings.add('inflated-too-large', null, { limit: limits.inflatedBytes })
  }
  if (ranges.length === end.entryCount) checkLayout(ranges, end, file, findings)
  return entries
}

// yauzl gives its errors no code.
const isStrongEncryption = (error: unknown) =>
  error instanceof Error && error.message.startsWith('strong encryption')

function checkEntryName(entry: Entry, limits: PackageLimits, findings: Findings): string | null {
  const name = decodeName(entry.fileNameRaw)
  if (name === null) {
    findings.add('name-not-utf8', shownName(entry.fileNameRaw))
    return null
  }
  const path = checkName(name, findings)
  if (path === null) return null
  const depth = path.replace(/\/$/, '').split('/').length - 1
  if (depth > limits.depth) {
    findings.add('too-deep', name, { depth, limit: limits.depth })
    return null
  }
  const second = entry.extraFields.find((field) => field.id === EXTRA_UNICODE_PATH)
  if (second && !second.data.subarray(5).equals(entry.fileNameRaw)) {
    findings.add('header-mismatch', name, { field: 'name' })
  }
  return path
}

function checkKind(entry: Entry, shown: string, isFolder: boolean, findings: Findings) {
  const encrypted = FLAG_ENCRYPTED | FLAG_STRONG_ENCRYPTION | FLAG_MASKED_HEADERS
  const method = entry.compressionMethod
  if (entry.generalPurposeBitFlag & encrypted || method === METHOD_AES) {
    findings.add('encrypted', shown)
  } else if (method !== 0 && method !== 8) {
    findings.add('compression-method', shown, { method })
  }
  // The upper half holds a Unix mode only if the archive was created on Unix, but extractors read it
  // regardless, so we do too.
  const type = (entry.externalFileAttributes >>> 16) & S_IFMT
  if (type !== 0 && type !== (isFolder ? S_IFDIR : S_IFREG)) {
    findings.add('special-file', shown, { mode: `0${type.toString(8)}` })
  }
  if (isFolder && entry.uncompressedSize > 0) findings.add('folder-with-data', shown)
}

function checkSize(entry: Entry, shown: string, limits: PackageLimits, findings: Findings) {
  const { compressedSize, uncompressedSize, compressionMethod } = entry
  if (uncompressedSize > limits.fileBytes) {
    findings.add('file-too-large', shown, { bytes: uncompressedSize, limit: limits.fileBytes })
  }
  if (isBomb(uncompressedSize, compressedSize, limits)) {
    findings.add('compression-ratio', shown, { limit: limits.ratio })
  }
  if (compressionMethod === 0 && compressedSize !== uncompressedSize) {
    findings.add('size-mismatch', shown, { declared: uncompressedSize })
  }
}

/** Small files may compress as well as they like: 2,000 of them stay under the total limit. */
const RATIO_FLOOR = 64 * 1024

export const isBomb = (inflated: number, compressed: number, limits: PackageLimits): boolean =>
  inflated > RATIO_FLOOR && inflated > compressed * limits.ratio

async function readLocalRange(
  zip: ZipFile,
  entry: Entry,
  shown: string,
  end: EndRecord,
  findings: Findings,
): Promise<Range | null> {
  const local = await zip.readLocalFileHeaderPromise(entry).catch(() => null)
  if (!local || local.fileDataStart + entry.compressedSize > end.directoryOffset) {
    findings.add('local-header', shown)
    return null
  }
  const field = differingField(entry, local)
  if (local.compressedSize === 0xffffffff || local.uncompressedSize === 0xffffffff) {
    findings.add('zip64', shown)
  } else if (field) {
    findings.add('header-mismatch', shown, { field })
  }
  const start = entry.relativeOffsetOfLocalHeader
  return { path: shown, start, end: local.fileDataStart + entry.compressedSize, entry, local }
}

function differingField(entry: Entry, local: LocalFileHeader): string | null {
  if (!local.fileName.equals(entry.fileNameRaw)) return 'name'
  if (local.compressionMethod !== entry.compressionMethod) return 'method'
  if (local.generalPurposeBitFlag !== entry.generalPurposeBitFlag) return 'flags'
  // With a data descriptor the local header may leave these zero; the descriptor is compared later.
  const isOpen = (local.generalPurposeBitFlag & FLAG_DESCRIPTOR) !== 0
  const same = (here: number, there: number) => here === there || (isOpen && here === 0)
  if (!same(local.crc32, entry.crc32)) return 'checksum'
  if (!same(local.compressedSize, entry.compressedSize)) return 'packed size'
  if (!same(local.uncompressedSize, entry.uncompressedSize)) return 'size'
  return null
}

/**
 * Every byte before the central directory must belong to exactly one entry. Shared bytes are how
 * overlapping zip bombs exceed deflate's ratio; bytes of no entry are what another reader may
 * execute.
 */
function checkLayout(ranges: Range[], end: EndRecord, file: PackageFile, findings: Findings): void {
  const sorted = ranges.toSorted((a, b) => a.start - b.start)
  const first = sorted[0]
  if (first && first.start > 0) findings.add('prepended-data', null, { bytes: first.start })
  for (const [index, range] of sorted.entries()) {
    const next = sorted[index + 1]
    const limit = next?.start ?? end.directoryOffset
    const gap = limit - range.end
    if (next && gap < 0) {
      findings.add('overlapping-entries', next.path, { other: range.path })
    } else if (gap > 0 && !isDescriptor(range, gap, file)) {
      findings.add('unlisted-data', range.path, { bytes: gap, offset: range.end })
    } else if (gap === 0 && isDescriptorMissing(range)) {
      findings.add('header-mismatch', range.path, { field: 'data descriptor' })
    }
  }
}

const isDescriptorMissing = ({ entry, local }: Range) =>
  (entry.generalPurposeBitFlag & FLAG_DESCRIPTOR) !== 0 &&
  (local.crc32 !== entry.crc32 || local.uncompressedSize !== entry.uncompressedSize)

/** APPNOTE 4.3.9: checksum and two sizes after the data, with or without a signature. */
function isDescriptor(range: Range, length: number, file: PackageFile): boolean {
  const { entry } = range
  if ((entry.generalPurposeBitFlag & FLAG_DESCRIPTOR) === 0) return false
  if (length !== 12 && length !== 16) return false
  const bytes = Buffer.alloc(length)
  file.read(bytes, range.end)
  if (length === 16 && bytes.readUInt32LE(0) !== 0x08074b50) return false
  const at = length - 12
  return (
    bytes.readUInt32LE(at) === entry.crc32 &&
    bytes.readUInt32LE(at + 4) === entry.compressedSize &&
    bytes.readUInt32LE(at + 8) === entry.uncompressedSize
  )
}
