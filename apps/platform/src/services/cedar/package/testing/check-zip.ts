import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createArchiveDraft } from '../archive-draft.ts'
import { inspectPackage } from '../check-package.ts'
import { readContentAhead } from '../content-ahead.ts'
import { openGrowingFile } from '../package-file.ts'
import { defaultPackageLimits, type PackageLimits } from '../package-limits.ts'
import type { PackageReport } from '../package-report.ts'
import { rewritePackage } from '../rewrite-package.ts'

/**
 * Checks an archive built in memory through a temporary file: once as a whole, and once arriving in
 * pieces. Both must have the same findings and, if it passed, write the same archive.
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
    const { report, files } = await inspectPackage(path, all)
    const file = openGrowingFile(path)
    const draft = createArchiveDraft(join(folder, 'draft'))
    const ahead = readContentAhead(file, all, draft).finally(file.close)
    for (let part = 1; part <= 3; part += 1) {
      file.grow(Math.floor((zip.length * part) / 3))
      await new Promise((turn) => setImmediate(turn))
    }
    file.end()
    expect(await inspectPackage(path, all, await ahead)).toEqual({ report, files })
    const drafted = report.ok && draft.finish(files, join(folder, 'drafted.zip'))
    if (drafted) {
      expect(drafted).toEqual(await rewritePackage(path, all, join(folder, 'rewritten.zip')))
      const written = await readFile(join(folder, 'rewritten.zip'))
      expect(written.equals(await readFile(join(folder, 'drafted.zip')))).toBe(true)
    } else draft.discard()
    expect(await readdir(folder)).not.toContain('draft')
    return report
  } finally {
    await rm(folder, { recursive: true })
  }
}
