import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PackageReport, Repair } from '@grove/contract/cedar/package-report'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { checkPackage } from '../../apps/platform/src/services/cedar/package/check-package.ts'
import { defaultPackageLimits } from '../../apps/platform/src/services/cedar/package/package-limits.ts'
import { repairPackage } from '../../apps/platform/src/services/cedar/package/repair-package.ts'
import { refuse, type Answers } from './answers.ts'

const moment = '2026-03-01T09:30:00.000000Z'
const sha256 = 'a'.repeat(64)

/** The platform's check of a package, and the package with its repairs. */
async function check(fileName: string, zip: Uint8Array, repaired: Repair[] = []) {
  const folder = await mkdtemp(join(tmpdir(), 'grove-package-'))
  try {
    const [path, target] = [join(folder, 'given.zip'), join(folder, 'repaired.zip')]
    await writeFile(path, zip)
    const {
      manifest: _,
      startPage: __,
      ...checked
    } = await checkPackage(path, defaultPackageLimits)
    const report: PackageReport = {
      ...checked,
      fileName,
      bytes: zip.length,
      sha256,
      repaired,
      checkedAt: moment,
    }
    const written = checked.repairs.length
      ? await repairPackage(path, defaultPackageLimits, target)
      : undefined
    return { report, repaired: written && (await readFile(target)) }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Gives a version a package; a refused one is kept beside the previous one. */
export async function takePackage(
  version: ProductVersion,
  fileName: string,
  zip: Uint8Array,
  repairs?: Repair[],
) {
  const { report, repaired } = await check(fileName, zip, repairs)
  const { bytes, inflatedBytes, files } = report
  if (report.ok)
    Object.assign(version, {
      state: 'ready',
      package: { sha256, bytes, inflatedBytes, files, fileName, uploadedAt: moment, report },
      lastRefused: null,
      rights: { ...version.rights, enable: null, download: null },
    } satisfies Partial<ProductVersion>)
  else
    Object.assign(version, {
      state: version.package ? version.state : 'failed_checks',
      lastRefused: { report, kept: repaired ? { sha256, until: moment } : null },
    } satisfies Partial<ProductVersion>)
  version.revision += 1
  return { version, report, repaired }
}

/** Answers to uploads and repairs of packages, from the platform's own check. */
export function packageAnswers(versions: ProductVersion[]): Answers {
  let repairable: Awaited<ReturnType<typeof takePackage>> | undefined
  const version = (id: string) =>
    versions.find(({ productVersionId }) => productVersionId === id) ?? refuse('not_found')()
  return {
    'POST /api/storage/productVersion/miniApp': async ({ form, file }) => {
      const zip = new Uint8Array((await file?.arrayBuffer()) ?? [])
      repairable = await takePackage(version(form.productVersionId), file?.name ?? '', zip)
      return repairable.version
    },
    'POST /api/storage/productVersion/miniApp/repair': async ({ body }) => {
      if (!repairable?.repaired) return refuse('refused_package_gone')()
      const { repaired, report } = repairable
      const repairing = version(body.productVersionId)
      return (await takePackage(repairing, report.fileName, repaired, report.repairs)).version
    },
    'GET /api/developer/productVersion/{id}/files': { files: [] },
  }
}

/** A version that is live: the only one of its app. */
export const liveSummary = ({ productVersionId, version }: ProductVersion) => ({
  productVersionId,
  version,
  state: 'live' as const,
  locales: ['en-US' as const],
})

export const releaseOf = (version: string, replaced: string | null = null) => ({
  id: randomUUID(),
  at: moment,
  action: 'enable' as const,
  version,
  replaced,
  reason: null,
  actor: null,
})
