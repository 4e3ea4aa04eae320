import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { readArchive } from './check-package.ts'
import type { PackageLimits } from './package-limits.ts'
import { createFindings } from './package-report.ts'
import { writeArchive } from './write-archive.ts'

/**
 * The files of an archive that passed its check, as a new archive. What no check reads is not in
 * it: another reader of the upload could find files in places that ours does not look at.
 */
export async function rewritePackage<T>(
  file: string,
  limits: PackageLimits,
  use: (rewritten: Readable) => Promise<T>,
): Promise<T> {
  const handle = await open(file, 'r')
  try {
    const archive = await readArchive(file, handle, limits, createFindings())
    if (!archive) throw new Error('The archive passed its check and cannot be read again.')
    try {
      const files = archive.entries.filter(({ isFolder }) => !isFolder)
      return await use(Readable.from(writeArchive(archive.zip, files)))
    } finally {
      archive.zip.close()
    }
  } finally {
    await handle.close()
  }
}
