import { packedOf } from './entry-content.ts'
import { openPackageFile } from './package-file.ts'
import type { PackageLimits } from './package-limits.ts'
import { createFindings } from './package-report.ts'
import { readArchive } from './read-archive.ts'
import { writeArchive } from './write-archive.ts'
import { writeHashed, type Written } from './write-hashed.ts'

/**
 * Writes the files of an archive that passed its check as a new archive. Unchecked bytes are dropped:
 * another reader of the upload could find files in places that ours ignores.
 */
export async function rewritePackage(
  path: string,
  limits: PackageLimits,
  target: string,
): Promise<Written> {
  const file = openPackageFile(path)
  try {
    const entries = await readArchive(file, limits, createFindings())
    if (!entries) throw new Error('The archive passed its check and cannot be read again.')
    const files = entries.filter(({ isFolder }) => !isFolder).map(packedOf)
    return await writeHashed(target, writeArchive(file, files))
  } finally {
    file.close()
  }
}
