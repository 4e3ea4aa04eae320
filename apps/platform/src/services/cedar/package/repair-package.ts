import type { Repair } from '@grove/contract/cedar/package-report'
import { openPackageFile } from './package-file.ts'
import type { PackageLimits } from './package-limits.ts'
import { planRepairs } from './package-repairs.ts'
import { createFindings } from './package-report.ts'
import { readArchive } from './read-archive.ts'
import { writeArchive } from './write-archive.ts'
import { writeHashed, type Written } from './write-hashed.ts'

/**
 * Writes the archive with its repairs applied as a new archive; undefined if it cannot be repaired.
 * The result is untrusted until it is checked like any upload.
 */
export async function repairPackage(
  path: string,
  limits: PackageLimits,
  target: string,
): Promise<(Written & { repairs: Repair[] }) | undefined> {
  const findings = createFindings()
  const file = openPackageFile(path)
  try {
    const entries = await readArchive(file, limits, findings)
    const plan = entries && planRepairs(entries, findings)
    if (!plan) return undefined
    return {
      ...(await writeHashed(target, writeArchive(file, plan.files))),
      repairs: plan.repairs,
    }
  } finally {
    file.close()
  }
}
