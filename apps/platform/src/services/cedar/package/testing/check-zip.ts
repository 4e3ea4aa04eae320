import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkPackage } from '../check-package.ts'
import { defaultPackageLimits, type PackageLimits } from '../package-limits.ts'
import type { PackageReport } from '../package-report.ts'

/** Checks an archive built in memory, by way of a temporary file. */
export async function checkZip(
  zip: Buffer,
  limits: Partial<PackageLimits> = {},
): Promise<PackageReport> {
  const folder = await mkdtemp(join(tmpdir(), 'grove-package-'))
  try {
    const file = join(folder, 'package.zip')
    await writeFile(file, zip)
    return await checkPackage(file, { ...defaultPackageLimits, ...limits })
  } finally {
    await rm(folder, { recursive: true })
  }
}
