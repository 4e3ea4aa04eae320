import type { Readable } from 'node:stream'
import type { LocaleCode, PackageReport, ProductVersion } from '@grove/contract'
import { ProblemError } from '../../../core/http/problem.ts'
import type { Platform } from '../../../core/platform.ts'
import { record, type Actor } from '../actor.ts'
import { checkPackage } from '../package/check-package.ts'
import { packageFileName } from '../package/package-file-name.ts'
import { defaultPackageLimits } from '../package/package-limits.ts'
import { changeVersion, getVersion } from '../product-version/product-version.service.ts'
import { cedarDb } from '../tables.ts'
import { titleOf } from '../translations.ts'
import type { IncomingFile } from './incoming-file.ts'
import { keepObject } from './objects.service.ts'
import { setChecking, setPackage, setReport, takePackage } from './storage.queries.ts'

/** @throws ProblemError when the actor may not send a package for the version. */
export async function requirePackageOpen(platform: Platform, actor: Actor, versionId: string) {
  refuseFinal(await getVersion(platform, actor, versionId))
}

function refuseFinal(version: ProductVersion): void {
  if (version.isFinal)
    throw new ProblemError(
      'version_is_final',
      `Version ${version.version} has been live or downloaded, so its package stays; make a new version.`,
    )
}

/**
 * Checks a package and keeps it when it passed. One that did not leaves its report, and an
 * accepted package before it in place.
 */
export async function savePackage(
  platform: Platform,
  actor: Actor,
  versionId: string,
  file: IncomingFile,
): Promise<ProductVersion> {
  await requirePackageOpen(platform, actor, versionId)
  const staged = await platform.objects.stage(file.stream)
  try {
    await file.assertComplete?.()
    await setChecking(cedarDb(platform), versionId, true)
    // Its manifest may be large, and every list of versions reads the reports.
    const { manifest: _, ...checked } = await checkPackage(staged.path, defaultPackageLimits)
    const report = storable({
      ...checked,
      fileName: file.fileName,
      bytes: staged.bytes,
      checkedAt: new Date(platform.now()).toISOString(),
    })
    if (report.ok) await keepObject(platform, staged, { mediaType: 'application/zip' })
    return await changeVersion(platform, actor, versionId, async (db, version) => {
      refuseFinal(version)
      await (report.ok
        ? setPackage(db, versionId, staged.sha256, report)
        : setReport(db, versionId, report))
      await record(
        db,
        actor,
        report.ok ? 'version.package' : 'version.package.refused',
        versionId,
        {
          before: version.package,
          after: { sha256: staged.sha256, bytes: staged.bytes, fileName: report.fileName },
        },
      )
    })
  } catch (error) {
    await setChecking(cedarDb(platform), versionId, false).catch(() => {})
    throw error
  } finally {
    await staged.discard()
  }
}

/** A report as `jsonb` can hold it: names in a package are any bytes at all. */
const storable = (report: PackageReport): PackageReport =>
  JSON.parse(
    JSON.stringify(report, (_key, value: unknown) =>
      typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value,
    ),
  )

export interface Download {
  fileName: string
  bytes: number
  stream: Readable
}

/** Opens a package for download, which makes it final: someone has it now. */
export async function openPackage(
  platform: Platform,
  actor: Actor,
  versionId: string,
  localeCode?: LocaleCode,
): Promise<Download> {
  const version = await getVersion(platform, actor, versionId)
  if (version.package === null)
    throw new ProblemError('package_missing', 'The version has no package yet.')
  const first = await cedarDb(platform)
    .transaction()
    .execute(async (db) => {
      const sha256 = await takePackage(db, versionId)
      if (sha256) await record(db, actor, 'version.download', versionId, { after: { sha256 } })
      return sha256
    })
  const object = await platform.objects.read(first ?? version.package.sha256)
  if (!object) throw new Error(`The object of version ${versionId} is not in the object store.`)
  return {
    ...object,
    fileName: packageFileName(titleOf(version.translations, localeCode), version.version),
  }
}
