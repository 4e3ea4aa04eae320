import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { readArchive } from './check-package.ts'
import type { PackageLimits } from './package-limits.ts'
import { planRepairs, type RepairPlan } from './package-repairs.ts'
import { createFindings } from './package-report.ts'
import { writeArchive } from './write-archive.ts'

/**
 * The archive with its repairs made, as a new archive; undefined if it cannot be repaired. The
 * result is not to be trusted before it is checked like any upload.
 */
export async function repairPackage<T>(
  file: string,
  limits: PackageLimits,
  use: (repaired: Readable, plan: RepairPlan) => Promise<T>,
): Promise<T | undefined> {
  const findings = createFindings()
  const handle = await open(file, 'r')
  try {
    const archive = await readArchive(file, handle, limits, findings)
    if (!archive) return undefined
    try {
      const plan = planRepairs(archive.entries, findings)
      return plan && (await use(Readable.from(writeArchive(archive.zip, plan.files)), plan))
    } finally {
      archive.zip.close()
    }
  } finally {
    await handle.close()
  }
}
