import { fromRandomAccessReaderPromise } from 'yauzl'
import { type ArchiveEntry, readEntries } from './archive-entries.ts'
import { readEndRecord } from './end-record.ts'
import { type PackageFile, PackageReader } from './package-file.ts'
import type { PackageLimits } from './package-limits.ts'
import type { Findings } from './package-report.ts'

/** Reads an archive's lists of files; undefined if they are invalid. */
export async function readArchive(
  file: PackageFile,
  limits: PackageLimits,
  findings: Findings,
): Promise<ArchiveEntry[] | undefined> {
  const bytes = file.size()
  if (bytes > limits.zipBytes) {
    findings.add('zip-too-large', null, { bytes, limit: limits.zipBytes })
    return undefined
  }
  const end = readEndRecord(file, findings)
  if (!end) return undefined
  // Names stay bytes and sizes unchecked: each is refused below under our own rule.
  const zip = await fromRandomAccessReaderPromise(new PackageReader(file), bytes, {
    autoClose: false,
    decodeStrings: false,
    validateEntrySizes: false,
  })
  return (await readEntries(zip, file, end, limits, findings)) ?? undefined
}
