import type { Readable } from 'node:stream'
import type { Calls } from '@grove/contract/calls'
import type { PackageReport, Repair } from '@grove/contract/cedar/package-report'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import type { QueryOf } from '@grove/contract/call'
import { ProblemError } from '../../../core/http/problem.ts'
import type { StagedObject } from '../../../core/objects/object-store.ts'
import type { Actor } from '../../../core/actor.ts'
import { assertAllowed } from '../cedar.rules.ts'
import { record, type CedarContext } from '../context.ts'
import { refusedLimits } from '../parts/limits.ts'
import { beginCheck, repairApart, type PackageCheck } from '../package/package-checker.ts'
import { packageFileName } from '../package/package-file-name.ts'
import { defaultPackageLimits } from '../package/package-limits.ts'
import { changeVersion, getVersion } from '../product-version/product-version.service.ts'
import type { CedarDb } from '../tables.ts'
import { titleOf } from '../parts/translations.ts'
import type { IncomingFile } from './incoming-file.ts'
import { damaged, keepObject, openObject } from './objects.service.ts'
import { refuseFull, requireProductRoom } from './storage-limit.ts'
import {
  findProviderOf,
  limitRefused,
  setChecking,
  setPackage,
  setRefused,
  takePackage,
} from './storage.queries.ts'

/** @throws ProblemError if the actor may not upload a package for the version. */
export async function requirePackageOpen(
  context: CedarContext,
  actor: Actor,
  { productVersionId: id }: { productVersionId: string },
): Promise<void> {
  const version = await getVersion(context, actor, { id })
  assertAllowed(actor, 'version.replacePackage', version)
  const kept = version.lastRefused?.kept ? version.lastRefused.report.bytes : 0
  await refuseFull(context, version.productId, (version.package?.bytes ?? 0) + kept)
}

/**
 * Checks a package during the upload and, if it passed, stores its files in a newly written archive.
 * A refused one leaves its report beside an accepted package, and its file for a day if it is
 * repairable. If aborted, it leaves nothing, however far the check has come.
 */
export async function savePackage(
  context: CedarContext,
  actor: Actor,
  { productVersionId: versionId, file, signal }: NewPackage,
): Promise<ProductVersion> {
  await requirePackageOpen(context, actor, { productVersionId: versionId })
  const check = beginCheck(defaultPackageLimits)
  signal?.addEventListener('abort', check.cancel)
  try {
    const staged = await context.objects.stage(file.stream, check.grew)
    try {
      await file.assertComplete?.()
      return await checkAndKeep(context, actor, versionId, {
        staged,
        fileName: file.fileName,
        repaired: [],
        check,
        signal,
      })
    } finally {
      await staged.discard()
    }
  } finally {
    check.close()
  }
}

interface NewPackage {
  productVersionId: string
  file: IncomingFile
  signal?: AbortSignal
}

/** Repairs the refused package with that hash, and checks the result like any upload. */
export async function repairRefused(
  context: CedarContext,
  actor: Actor,
  { productVersionId, sha256 }: { productVersionId: string; sha256: string },
): Promise<ProductVersion> {
  const version = await getVersion(context, actor, { id: productVersionId })
  assertAllowed(actor, 'version.replacePackage', version)
  const kept = version.lastRefused?.kept
  const isKept = kept?.sha256 === sha256 && Date.parse(kept.until) > context.now()
  const object = isKept ? await context.objects.read(sha256) : undefined
  if (!version.lastRefused || !object)
    throw new ProblemError(
      'refused_package_gone',
      'The refused package is no longer stored, or another one was uploaded since. Upload it again.',
    )
  const { fileName } = version.lastRefused.report
  // A copy, because the archive needs random access and the store only streams.
  const source = await context.objects.stage(object.stream)
  try {
    let repaired: Repair[] = []
    const staged = await context.objects.stageFile(async (path) => {
      const written = await repairApart(source.path, defaultPackageLimits, path)
      // Only a repairable archive is kept, and the plan depends only on its content.
      if (!written) throw new Error(`The refused package ${sha256} has no repairs.`)
      repaired = written.repairs
      return written
    })
    const check = beginCheck(defaultPackageLimits)
    try {
      return await checkAndKeep(context, actor, productVersionId, {
        staged,
        fileName,
        repaired,
        check,
      })
    } finally {
      check.close()
      await staged.discard()
    }
  } finally {
    await source.discard()
  }
}

interface Candidate {
  staged: StagedObject
  fileName: string
  repaired: Repair[]
  check: PackageCheck
  signal?: AbortSignal | undefined
}

async function checkAndKeep(
  context: CedarContext,
  actor: Actor,
  versionId: string,
  { staged, fileName, repaired, check, signal }: Candidate,
): Promise<ProductVersion> {
  const marking = setChecking(context.db, versionId, true)
  try {
    const [{ manifest, ...checked }] = await Promise.all([check.report(staged.path), marking])
    signal?.throwIfAborted()
    const { permissions = [], optionalPermissions = [] } = manifest ?? {}
    // Without the manifest, which may be large: every list of versions reads the reports.
    const report = storable({
      ...checked,
      permissions: { required: permissions, optional: optionalPermissions },
      fileName,
      bytes: staged.bytes,
      sha256: staged.sha256,
      repaired,
      checkedAt: new Date(context.now()).toISOString(),
    })
    const change = (kept: StagedObject | null) => async (db: CedarDb, version: ProductVersion) => {
      // The sender may have left while it was rewritten, or waited for another change.
      signal?.throwIfAborted()
      assertAllowed(actor, 'version.replacePackage', version)
      const { keepSeconds, files } = refusedLimits
      if (report.ok && kept) {
        await setPackage(db, versionId, kept.sha256, report)
        const owner = (await findProviderOf(db, version.productId))?.provider_id ?? ''
        await context.jobs.enqueue(db, 'package.index', { sha256: kept.sha256 }, { owner })
      } else {
        await setRefused(db, versionId, report, kept?.sha256 ?? null, keepSeconds)
        await limitRefused(db, version.productId, files)
      }
      if (kept) await requireProductRoom(context, db, version.productId)
      const { sha256, bytes } = kept ?? staged
      const action = report.ok ? 'version.package' : 'version.package.refused'
      await record(db, actor, action, versionId, {
        before: version.package && packageFacts(version.package),
        after: { sha256, bytes, uploaded: staged.sha256, fileName, repaired },
      })
    }
    const refer = (kept: StagedObject | null) =>
      changeVersion(context, actor, { id: versionId, change: change(kept) })
    const keep = (kept: StagedObject) =>
      keepObject(context, kept, { mediaType: 'application/zip' }, () => refer(kept))
    if (report.ok) return await rewritten(context, check, staged, keep)
    return await (report.repairs.length > 0 ? keep(staged) : refer(null))
  } catch (error) {
    await marking.catch(() => {})
    await setChecking(context.db, versionId, false).catch(() => {})
    signal?.throwIfAborted()
    throw error
  }
}

/** Stages the new archive instead of the uploaded one. */
async function rewritten<T>(
  { objects }: CedarContext,
  check: PackageCheck,
  { path }: StagedObject,
  use: (staged: StagedObject) => Promise<T>,
): Promise<T> {
  const staged = await objects.stageFile((target) => check.rewrite(path, target))
  try {
    return await use(staged)
  } finally {
    await staged.discard()
  }
}

/** The report is long and stays with the version. */
const packageFacts = (file: NonNullable<ProductVersion['package']>) => {
  const { report: _, ...facts } = file
  return facts
}

/** A report that `jsonb` can hold: names in a package are arbitrary bytes. */
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
  assertAllowed(actor, 'version.download', version)
  const known = version.package?.sha256 ?? ''
  // Before the package becomes final: nobody gets it while the storage is unavailable.
  const opened = await openPackageObject(context, known)
  try {
    const first = await context.db.transaction().execute(async (db) => {
      const sha256 = await takePackage(db, versionId)
      if (sha256) await record(db, actor, 'version.download', versionId, { after: { sha256 } })
      return sha256
    })
    // Another may have been uploaded since.
    const other = first && first !== known ? first : undefined
    if (other) opened.stream.destroy()
    const object = other ? await openPackageObject(context, other) : opened
    const fileName = packageFileName(titleOf(version.translations, localeCode), version.version)
    return { ...object, fileName }
  } catch (error) {
    opened.stream.destroy()
    throw error
  }
}

async function openPackageObject(context: CedarContext, sha256: string) {
  const object = await openObject(context, sha256)
  if (!object) throw damaged(sha256)
  return object
}
