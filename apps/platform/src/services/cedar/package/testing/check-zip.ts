import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { checkPackage } from '../check-package.ts'
import { readContentAhead } from '../content-ahead.ts'
import { openGrowingFile } from '../package-file.ts'
import { defaultPackageLimits, type PackageLimits } from '../package-limits.ts'
import type { PackageReport } from '../package-report.ts'

/**
 * Checks an archive built in memory through a temporary file: once as a whole, and once as it
 * arrives in pieces. Both must find the same.
 */
export async function checkZip(
  zip: Buffer,
  limits: Partial<PackageLimits> = {},
): Promise<PackageReport> {
  const all = { ...defaultPackageLimits, ...limits }
  const folder = await mkdtemp(join(tmpdir(), 'grove-package-'))
  try {
    const path = join(folder, 'package.zip')
    await writeFile(path, zip)
    const report = await checkPackage(path, all)
    const file = openGrowingFile(path)
    const ahead = readContentAhead(file, all).finally(file.close)
    for (let part = 1; part <= 3; part += 1) {
      file.grow(Math.floor((zip.length * part) / 3))
      await new Promise((turn) => setImmediate(turn))
    }
    file.end()
    expect(await checkPackage(path, all, await ahead)).toEqual(report)
    return report
  } finally {
    await rm(folder, { recursive: true })
  }
}
