import type { Readable } from 'node:stream'
import type { Calls, PackageReport, ProductVersion, QueryOf } from '@grove/contract'
import { ProblemError } from '../../../core/http/problem.ts'
import type { Actor } from '../../../core/actor.ts'
import { audit, type CedarContext } from '../context.ts'
import { checkPackage } from '../package/check-package.ts'
import { packageFileName } from '../package/package-file-name.ts'
import { defaultPackageLimits } from '../package/package-limits.ts'
import { changeVersion, getVersion } from '../product-version/product-version.service.ts'
import { titleOf } from '../translations.ts'
import type { IncomingFile } from './incoming-file.ts'
import { keepObject } from './objects.service.ts'
import { setChecking, setPackage, setReport, takePackage } from './storage.queries.ts'

/** @throws ProblemError when the actor may not send a package for the version. */
export async function requirePackageOpen(
  context: CedarContext,
  actor: Actor,
  { productVersionId: id }: { productVersionId: string },
): Promise<void> {
  refuseFinal(await getVersion(context, actor, { id }))
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
  context: CedarContext,
  actor: Actor,
  { productVersionId: versionId, file }: { productVersionId: string; file: IncomingFile },
): Promise<ProductVersion> {
  await requirePackageOpen(context, actor, { productVersionId: versionId })
  const staged = await context.objects.stage(file.stream)
  try {
    await file.assertComplete?.()
    await setChecking(context.db, versionId, true)
    // Its manifest may be large, and every list of versions reads the reports.
    const { manifest: _, ...checked } = await checkPackage(staged.path, defaultPackageLimits)
    const report = storable({
      ...checked,
      fileName: file.fileName,
      bytes: staged.bytes,
      checkedAt: new Date(context.now()).toISOString(),
    })
    if (report.ok) await keepObject(context, staged, { mediaType: 'application/zip' })
    return await changeVersion(context, actor, versionId, async (db, version) => {
      refuseFinal(version)
      await (report.ok
        ? setPackage(db, versionId, staged.sha256, report)
        : setReport(db, versionId, report))
      await audit(db, actor, report.ok ? 'version.package' : 'version.package.refused', versionId, {
        before: version.package,
        after: { sha256: staged.sha256, bytes: staged.bytes, fileName: report.fileName },
      })
    })
  } catch (error) {
    await setChecking(context.db, versionId, false).catch(() => {})
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

type PackageQuery = QueryOf<Calls['GET /api/storage/productVersion/miniApp']>

export interface Download {
  fileName: string
  bytes: number
  stream: Readable
}

/** Opens a package for download, which makes it final: someone has it now. */
export async function openPackage(
  context: CedarContext,
  actor: Actor,
  { productVersionId: versionId, localeCode }: PackageQuery,
): Promise<Download> {
  const version = await getVersion(context, actor, { id: versionId })
  if (version.package === null)
    throw new ProblemError('package_missing', 'The version has no package yet.')
  const first = await context.db.transaction().execute(async (db) => {
    const sha256 = await takePackage(db, versionId)
    if (sha256) await audit(db, actor, 'version.download', versionId, { after: { sha256 } })
    return sha256
  })
  const object = await context.objects.read(first ?? version.package.sha256)
  if (!object) throw new Error(`The object of version ${versionId} is not in the object store.`)
  return {
    ...object,
    fileName: packageFileName(titleOf(version.translations, localeCode), version.version),
  }
}
