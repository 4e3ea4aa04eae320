import type { PackageFile } from './package-file.ts'
import type { Findings } from './package-report.ts'

export interface EndRecord {
  entryCount: number
  directoryOffset: number
  directorySize: number
}

const END_SIGNATURE = Buffer.from('PK\x05\x06', 'latin1')
const LOCAL_SIGNATURE = Buffer.from('PK\x03\x04', 'latin1')
const ZIP64_LOCATOR = 0x07064b50
const END_SIZE = 22
const ZIP64_LOCATOR_SIZE = 20
const MAX_COMMENT = 0xffff

/**
 * Reads the end-of-central-directory record (APPNOTE 4.3.16) and requires that it is the last thing
 * in the file and that the directory ends where it starts, so every reader sees the same list of
 * files. Zip64 is refused here, before yauzl sees the archive: it seeks to the 64-bit offsets, and an
 * out-of-range one throws where nothing can catch it.
 */
export function readEndRecord(file: PackageFile, findings: Findings): EndRecord | null {
  const size = file.size()
  const head = Buffer.alloc(Math.min(4, size))
  file.read(head, 0)
  const tail = Buffer.alloc(Math.min(size, END_SIZE + MAX_COMMENT + ZIP64_LOCATOR_SIZE))
  file.read(tail, size - tail.length)

  const at = tail.lastIndexOf(END_SIGNATURE)
  if (at === -1) {
    findings.add(head.equals(LOCAL_SIGNATURE) ? 'truncated' : 'not-a-zip')
    return null
  }
  if (tail.length - at < END_SIZE) {
    findings.add('truncated')
    return null
  }
  const commentLength = tail.readUInt16LE(at + 20)
  const after = tail.length - at - END_SIZE
  if (after !== commentLength) {
    if (after > commentLength) findings.add('trailing-data', null, { bytes: after - commentLength })
    else findings.add('truncated')
    return null
  }

  const disk = tail.readUInt16LE(at + 4)
  const directoryDisk = tail.readUInt16LE(at + 6)
  const entriesHere = tail.readUInt16LE(at + 8)
  const entryCount = tail.readUInt16LE(at + 10)
  const directorySize = tail.readUInt32LE(at + 12)
  const directoryOffset = tail.readUInt32LE(at + 16)
  const hasLocator =
    at >= ZIP64_LOCATOR_SIZE && tail.readUInt32LE(at - ZIP64_LOCATOR_SIZE) === ZIP64_LOCATOR
  const isZip64 =
    hasLocator ||
    entryCount === 0xffff ||
    directorySize === 0xffffffff ||
    directoryOffset === 0xffffffff
  if (isZip64) {
    findings.add('zip64')
    return null
  }
  if (disk !== 0 || directoryDisk !== 0 || entriesHere !== entryCount) {
    findings.add('spanned')
    return null
  }
  const endOffset = size - tail.length + at
  const gap = endOffset - directoryOffset - directorySize
  if (gap > 0) findings.add('prepended-data', null, { bytes: gap })
  if (gap < 0) findings.add('central-directory', null, { reason: 'it runs past its end' })
  return gap === 0 ? { entryCount, directoryOffset, directorySize } : null
}
