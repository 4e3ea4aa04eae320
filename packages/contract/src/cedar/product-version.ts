import { Type } from 'typebox'
import { changes, creates, defineCalls } from '../call.ts'
import { locales } from '../locale.rules.ts'
import {
  LocaleCode,
  Name,
  noContent,
  Nullable,
  Page,
  pageQuery,
  Right,
  stored,
  Strict,
  Timestamp,
  Uuid,
} from '../shapes.ts'
import { PackageReport } from './package-report.ts'
import {
  maxReasonLength,
  versionPattern,
  versionStates,
  versionTextLimits,
} from './product-version.rules.ts'

export const VersionState = Type.Enum(versionStates)

const limits = versionTextLimits
const VersionTranslation = Strict({
  localeCode: LocaleCode,
  title: Name(limits.title),
  shortDescription: Type.Optional(Type.String({ maxLength: limits.shortDescription })),
  description: Type.Optional(Type.String({ maxLength: limits.description })),
  whatsNew: Type.Optional(Type.String({ maxLength: limits.whatsNew })),
})

const VersionImage = Type.Object({
  id: Uuid,
  localeCode: LocaleCode,
  url: Type.String(),
  width: Type.Integer(),
  height: Type.Integer(),
  bytes: Type.Integer(),
  sha256: Type.String(),
})

export const ProductVersion = Type.Object({
  productVersionId: Uuid,
  productId: Uuid,
  /** X.Y.Z, unique within the product and higher than every earlier one. */
  version: Type.String(),
  enabled: Type.Boolean(),
  state: VersionState,
  translations: Type.Array(VersionTranslation),
  images: Type.Array(VersionImage),
  package: Nullable(
    Type.Object({
      sha256: Type.String(),
      bytes: Type.Integer(),
      inflatedBytes: Type.Integer(),
      files: Type.Integer(),
      /** `{title} - v{version}.zip` in the default locale. */
      fileName: Type.String(),
      uploadedAt: Timestamp,
      /** Null for a package from before reports were stored. */
      report: Nullable(PackageReport),
    }),
  ),
  /** The last upload, if it was refused. The package that was accepted before it stays. */
  lastRefused: Nullable(
    Type.Object({
      report: PackageReport,
      /** The refused file, while it is stored for a repair. */
      kept: Nullable(Type.Object({ sha256: Type.String(), until: Timestamp })),
    }),
  ),
  /** Requested permissions that the provider was not granted; an administrator can grant them. */
  missingPermissions: Type.Array(Type.String()),
  enabledAt: Nullable(Timestamp),
  /** The package can no longer change, because it was live or downloaded. */
  isFinal: Type.Boolean(),
  rights: Type.Object({
    enable: Right('package_missing', 'permission_missing', 'translation_missing'),
    delete: Right('version_is_live'),
    replacePackage: Right('version_is_final'),
    download: Right('package_missing'),
  }),
  ...stored,
})
export type ProductVersion = Type.Static<typeof ProductVersion>

const Release = Type.Object({
  id: Type.String(),
  at: Timestamp,
  /** `rollback` is the enabling of a version that had been live before. */
  action: Type.Enum(['enable', 'rollback', 'disable']),
  version: Type.String(),
  /** The version that was live until then. */
  replaced: Nullable(Type.String()),
  reason: Nullable(Type.String()),
  /** The user id of the person who did it. */
  actor: Nullable(Type.String()),
})
export type Release = Type.Static<typeof Release>

const translations = Type.Array(VersionTranslation, { minItems: 1, maxItems: locales.length })

export const productVersionCalls = defineCalls('cedar', 'developer', {
  'GET /api/developer/productVersion': {
    summary: 'List the versions of a product, newest first',
    takesKey: 'publish',
    query: Strict({ ...pageQuery, productId: Uuid }),
    response: Page(ProductVersion),
    problems: ['not_found', 'bad_cursor'],
  },
  'POST /api/developer/productVersion': {
    summary: 'Create a version',
    description:
      'It takes the screenshots, and unless `translations` are given the texts, of the live version; if none is live, of the one that was live last; if none ever was, of the newest.',
    takesKey: 'publish',
    body: Strict({
      productId: Uuid,
      version: Type.String({ pattern: versionPattern, examples: ['1.2.0'] }),
      translations: Type.Optional(translations),
    }),
    ...creates(ProductVersion, 'not_found', 'version_taken', 'version_not_higher', 'limit_reached'),
  },
  'GET /api/developer/productVersion/{id}': {
    summary: 'One version',
    takesKey: 'publish',
    response: ProductVersion,
  },
  'PUT /api/developer/productVersion/{id}': {
    summary: 'Change a version, enable or disable it',
    description:
      'Enabling makes it the product’s only live version and disables the previous one in the same transaction.',
    takesKey: 'publish',
    body: Strict({
      enabled: Type.Optional(Type.Boolean()),
      translations: Type.Optional(translations),
      reason: Type.Optional(
        Type.String({
          maxLength: maxReasonLength,
          description: 'Why it is enabled or disabled; the release history shows it',
        }),
      ),
    }),
    ...changes(ProductVersion, 'package_missing', 'permission_missing', 'translation_missing'),
  },
  'GET /api/developer/product/{id}/release': {
    summary: 'The release history of a product, newest first',
    query: Strict(pageQuery),
    response: Page(Release),
    problems: ['bad_cursor'],
  },
  'DELETE /api/developer/productVersion/{id}': {
    summary: 'Delete a version',
    description: 'A live version is refused.',
    ...noContent,
    problems: ['version_is_live'],
  },
})
