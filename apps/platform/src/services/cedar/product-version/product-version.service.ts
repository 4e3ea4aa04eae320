import { randomUUID } from 'node:crypto'
import type { BodyOf, QueryOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { missingPermissions } from '@grove/contract/cedar/mini-app-right.rules'
import { atRevision } from '../../../core/http/at-revision.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import type { Actor } from '../../../core/actor.ts'
import { record, type CedarContext, visibleTo } from '../context.ts'
import { withoutRights } from '../../../core/policy.ts'
import { assertAllowed, rightsOf } from '../cedar.rules.ts'
import { imageUrl } from '../parts/image-url.ts'
import { packageFileName } from '../package/package-file-name.ts'
import {
  releaseVersionQuota,
  lockProduct,
  countVersion,
  touchProduct,
} from '../product/product.queries.ts'
import { requireProduct } from '../product/product.service.ts'
import type { CedarDb } from '../tables.ts'
import { checkTranslations, titleOf } from '../parts/translations.ts'
import {
  deleteVersion as deleteRow,
  copyImages,
  disableVersion,
  findHighest,
  findListingSource,
  findVersion,
  insertVersion,
  parseVersion,
  swapLiveVersion,
  updateTranslations,
  versionList,
  type VersionNumber,
  type VersionRow,
} from './product-version.queries.ts'
import { recordRelease } from './release.service.ts'

export async function listVersions(
  context: CedarContext,
  actor: Actor,
  query: QueryOf<Calls['GET /api/developer/productVersion']>,
) {
  await requireProduct(context, actor, { id: query.productId })
  const page = await versionList.read(context.db, query)
  return { ...page, items: page.items.map((row) => toVersion(actor, row)) }
}

export async function createVersion(
  context: CedarContext,
  actor: Actor,
  { productId, version, translations }: BodyOf<Calls['POST /api/developer/productVersion']>,
): Promise<ProductVersion> {
  const number = parseVersion(version)
  const given = translations && checkTranslations(translations)
  const id = randomUUID()
  return context.db.transaction().execute(async (db) => {
    // The next version is compared with this one.
    await lockProduct(db, productId)
    const product = await requireProduct({ db }, actor, { id: productId })
    assertAllowed(actor, 'version.create', product)
    await countVersion(db, productId)
    await checkHigher(db, productId, number)
    const source = await findListingSource(db, productId)
    const texts = given ?? (source ? withoutNews(source.translations) : product.translations)
    await insertVersion(db, { id, productId, number, translations: texts })
    if (source) await copyImages(db, source.id, id)
    await record(db, actor, 'version.create', id, {
      after: { productId, version, translations: texts, listingFrom: source?.id ?? null },
    })
    return requireVersion({ db }, actor, { id })
  })
}

/** Release notes belong to one version only. */
const withoutNews = (translations: ProductVersion['translations']) =>
  translations.map((texts) => ({ ...texts, whatsNew: undefined }))

/** @throws ProblemError `not_found`, also for another owner's version. */
export async function requireVersion(
  { db }: Pick<CedarContext, 'db'>,
  actor: Actor,
  { id }: VersionId,
): Promise<ProductVersion> {
  const row = await findVersion(db, id, visibleTo(actor))
  if (!row) throw new ProblemError('not_found', 'The version does not exist.')
  return toVersion(actor, row)
}

export interface VersionId {
  id: string
}

export const getVersion = (context: CedarContext, actor: Actor, { id }: VersionId) =>
  requireVersion(context, actor, { id })

type VersionChange = BodyOf<Calls['PUT /api/developer/productVersion/{id}']> &
  VersionId & {
    /** The revision that the change is based on. */
    revision?: number | undefined
  }

export const updateVersion = (
  context: CedarContext,
  actor: Actor,
  { id, revision, enabled, translations, reason }: VersionChange,
): Promise<ProductVersion> =>
  changeVersion(context, actor, {
    id,
    change: async (db, before) => {
      atRevision(before, revision, 'version')
      const checked = translations && checkTranslations(translations)
      const after = { ...before, ...(checked && { translations: checked }) }
      if (enabled ?? before.enabled) assertAllowed(actor, 'version.enable', after)
      if (checked) {
        await updateTranslations(db, id, checked)
        const facts = { before: before.translations, after: checked }
        await record(db, actor, 'version.update', id, facts)
      }
      if (enabled === true && !before.enabled) {
        const live = await swapLiveVersion(db, before.productId, id)
        await recordRelease(db, actor, 'version.enable', before, { live, reason })
      }
      if (enabled === false && before.enabled) {
        await disableVersion(db, id)
        await recordRelease(db, actor, 'version.disable', before, { reason })
      }
    },
  })

/** Makes it the product's only live version; enabling a previous one is a rollback. */
export const enableVersion = (context: CedarContext, actor: Actor, { id }: VersionId) =>
  updateVersion(context, actor, { id, enabled: true })

export async function deleteVersion(
  context: CedarContext,
  actor: Actor,
  { id }: VersionId,
): Promise<void> {
  const { productId } = await getVersion(context, actor, { id })
  await context.db.transaction().execute(async (db) => {
    await lockProduct(db, productId)
    const version = await requireVersion({ db }, actor, { id })
    assertAllowed(actor, 'version.delete', version)
    // The event needs the version to find its product.
    await record(db, actor, 'version.delete', id, { before: withoutRights(version) })
    await deleteRow(db, id)
    await releaseVersionQuota(db, productId)
  })
}

interface ChangingVersion extends VersionId {
  change: (db: CedarDb, before: ProductVersion) => Promise<void>
}

/** Runs a change while the product and its versions are locked. */
export async function changeVersion(
  context: CedarContext,
  actor: Actor,
  { id, change }: ChangingVersion,
): Promise<ProductVersion> {
  const { productId } = await getVersion(context, actor, { id })
  return context.db.transaction().execute(async (db) => {
    await lockProduct(db, productId)
    await change(db, await requireVersion({ db }, actor, { id }))
    await touchProduct(db, productId)
    return requireVersion({ db }, actor, { id })
  })
}

async function checkHigher(db: CedarDb, productId: string, number: VersionNumber): Promise<void> {
  const highest = await findHighest(db, productId)
  if (!highest) return
  const last: VersionNumber = [highest.major, highest.minor, highest.patch]
  const [difference] = number.map((part, index) => part - (last[index] ?? 0)).filter(Boolean)
  if (difference !== undefined && difference > 0) return
  const isTaken = difference === undefined
  throw new ProblemError(
    isTaken ? 'version_taken' : 'version_not_higher',
    isTaken
      ? `The product has a version ${number.join('.')} already.`
      : `The version must be higher than ${last.join('.')}, the highest so far.`,
  )
}

function toVersion(actor: Actor, row: VersionRow): ProductVersion {
  const facts = {
    productVersionId: row.id,
    productId: row.product_id,
    version: row.version,
    enabled: row.enabled,
    state: row.state,
    translations: row.translations,
    images: row.images.map((image) => ({ ...image, url: imageUrl(image.sha256) })),
    package:
      row.package_sha256 === null
        ? null
        : {
            sha256: row.package_sha256,
            bytes: row.package_bytes,
            inflatedBytes: row.package_inflated_bytes,
            files: row.package_files,
            fileName: packageFileName(titleOf(row.translations), row.version),
            uploadedAt: row.package_uploaded_at,
            report: row.package_report,
          },
    lastRefused: row.refused_report && {
      report: row.refused_report,
      kept:
        row.refused_sha256 && row.refused_until
          ? { sha256: row.refused_sha256, until: row.refused_until }
          : null,
    },
    missingPermissions: missingPermissions(
      row.mini_app_rights,
      row.package_report?.permissions ?? { required: [], optional: [] },
    ),
    enabledAt: row.enabled_at,
    isFinal: row.enabled_at !== null || row.downloaded_at !== null,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
  return { ...facts, rights: rightsOf(actor, facts, versionRights) }
}

const versionRights = {
  enable: 'version.enable',
  delete: 'version.delete',
  replacePackage: 'version.replacePackage',
  download: 'version.download',
} as const
