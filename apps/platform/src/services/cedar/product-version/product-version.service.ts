import { randomUUID } from 'node:crypto'
import type { BodyOf, Calls, ProductVersion, QueryOf } from '@grove/contract'
import { defaultLocale } from '@grove/contract/locale.rules'
import { ProblemError } from '../../../core/http/problem.ts'
import type { Actor } from '../../../core/actor.ts'
import { record, type CedarContext, visibleTo } from '../context.ts'
import { imageUrl } from '../image-url.ts'
import { catalogueLimits } from '../limits.ts'
import { packageFileName } from '../package/package-file-name.ts'
import {
  releaseVersionQuota,
  lockProduct,
  reserveVersionQuota,
  touchProduct,
} from '../product/product.queries.ts'
import { requireProduct } from '../product/product.service.ts'
import type { CedarDb } from '../tables.ts'
import { checkTranslations, titleOf } from '../translations.ts'
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
  await requireProduct(context.db, actor, query.productId)
  const page = await versionList.read(context.db, query)
  return { ...page, items: page.items.map(toVersion) }
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
    const product = await requireProduct(db, actor, productId)
    // Locks the product too: the next version is compared with this one.
    if (!(await reserveVersionQuota(db, productId, catalogueLimits.versionsPerProduct)))
      throw new ProblemError(
        'limit_reached',
        `The product has ${catalogueLimits.versionsPerProduct} versions, the most that it may have.`,
      )
    await checkHigher(db, productId, number)
    const source = await findListingSource(db, productId)
    const texts = given ?? (source ? withoutNews(source.translations) : product.translations)
    await insertVersion(db, { id, productId, number, translations: texts })
    if (source) await copyImages(db, source.id, id)
    await record(db, actor, 'version.create', id, {
      after: { productId, version, translations: texts, listingFrom: source?.id ?? null },
    })
    return requireVersion(db, actor, id)
  })
}

/** What is new belongs to one version alone. */
const withoutNews = (translations: ProductVersion['translations']) =>
  translations.map((texts) => ({ ...texts, whatsNew: undefined }))

/** @throws ProblemError `not_found` also for a version of others, whose existence stays secret. */
export async function requireVersion(
  db: CedarDb,
  actor: Actor,
  id: string,
): Promise<ProductVersion> {
  return toVersion(await requireRow(db, actor, id))
}

export interface VersionId {
  id: string
}

export const getVersion = (context: CedarContext, actor: Actor, { id }: VersionId) =>
  requireVersion(context.db, actor, id)

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
  changeVersion(context, actor, id, async (db, before) => {
    if (revision !== undefined && revision !== before.revision)
      throw new ProblemError(
        'edit_conflict',
        'Someone else changed the version after you read it; read it again and repeat the change.',
      )
    const checked = translations && checkTranslations(translations)
    if (enabled ?? before.enabled) requireDefaultLocale(checked ?? before.translations)
    if (checked) {
      await updateTranslations(db, id, checked)
      await record(db, actor, 'version.update', id, {
        before: before.translations,
        after: checked,
      })
    }
    if (enabled === true && !before.enabled) await enable(db, actor, before, reason)
    if (enabled === false && before.enabled) {
      await disableVersion(db, id)
      await recordRelease(db, actor, 'version.disable', before, { reason })
    }
  })

/** Makes it the product's one live version; enabling a previous one is how to roll back. */
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
    const version = await requireVersion(db, actor, id)
    if (version.enabled)
      throw new ProblemError(
        'version_is_live',
        `Version ${version.version} is live; disable it before it is deleted.`,
      )
    await deleteRow(db, id)
    await releaseVersionQuota(db, productId)
    await record(db, actor, 'version.delete', id, { before: version })
  })
}

/** Runs a change while nobody else changes the product or one of its versions. */
export async function changeVersion(
  context: CedarContext,
  actor: Actor,
  id: string,
  change: (db: CedarDb, before: ProductVersion) => Promise<void>,
): Promise<ProductVersion> {
  const { productId } = await getVersion(context, actor, { id })
  return context.db.transaction().execute(async (db) => {
    await lockProduct(db, productId)
    await change(db, await requireVersion(db, actor, id))
    await touchProduct(db, productId)
    return requireVersion(db, actor, id)
  })
}

async function enable(
  db: CedarDb,
  actor: Actor,
  version: ProductVersion,
  reason: string | undefined,
): Promise<void> {
  if (version.package === null)
    throw new ProblemError(
      'package_missing',
      'The version has no package that passed its checks; upload one first.',
    )
  const replaced = await swapLiveVersion(db, version.productId, version.productVersionId)
  await recordRelease(db, actor, 'version.enable', version, { live: replaced, reason })
}

function requireDefaultLocale(translations: ProductVersion['translations']): void {
  if (translations.some(({ localeCode }) => localeCode === defaultLocale)) return
  throw new ProblemError(
    'translation_missing',
    `A live version needs a title in ${defaultLocale}, the default locale.`,
  )
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

async function requireRow(db: CedarDb, actor: Actor, id: string): Promise<VersionRow> {
  const row = await findVersion(db, id, visibleTo(actor))
  if (!row) throw new ProblemError('not_found', 'There is no such version.')
  return row
}

const toVersion = (row: VersionRow): ProductVersion => ({
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
  enabledAt: row.enabled_at,
  isFinal: row.enabled_at !== null || row.downloaded_at !== null,
  revision: row.revision,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
