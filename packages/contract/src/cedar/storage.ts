import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import { defaultLocale, locales } from '../locale.rules.ts'
import { LocaleCode, Strict, Uuid } from '../shapes.ts'
import { Product } from './product.ts'
import { ProductVersion } from './product-version.ts'
import { Provider } from './provider.ts'
import { largestPackage } from './package.rules.ts'
import { iconLimits, maxScreenshots, megabytes, screenshotLimits } from './storage.rules.ts'

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const localeWithDefault = Type.Optional(Type.Enum(locales, { default: defaultLocale }))

// Form fields come before the file, so that the owner is checked before the file is read.
export const storageCalls = defineCalls('cedar', 'developer', {
  'POST /api/storage/product/icon': {
    summary: 'Upload a product’s icon',
    description: `PNG or JPEG, square, ${iconLimits.leastSide} to ${iconLimits.maxSide} pixels, at most ${megabytes(iconLimits.bytes)} MB. Stored re-encoded.`,
    form: Strict({ productId: Uuid }),
    response: Product,
    problems: ['not_found', 'file_missing', 'file_too_large', 'image_refused'],
  },
  'POST /api/storage/productVersion/image': {
    summary: 'Upload a screenshot of a version',
    description: `PNG or JPEG of at most ${megabytes(screenshotLimits.bytes)} MB, ${screenshotLimits.leastSide} to ${screenshotLimits.maxSide} pixels, the long side at most ${screenshotLimits.maxRatio} times the short one, ${maxScreenshots} per locale (${defaultLocale} by default). Stored re-encoded.`,
    form: Strict({ productVersionId: Uuid, localeCode: localeWithDefault }),
    response: ProductVersion,
    problems: ['not_found', 'file_missing', 'file_too_large', 'image_refused', 'limit_reached'],
  },
  'PUT /api/storage/productVersion/image': {
    summary: 'Reorder a version’s screenshots of one locale',
    body: Strict({
      productVersionId: Uuid,
      localeCode: LocaleCode,
      ids: Type.Array(Uuid, { maxItems: maxScreenshots, uniqueItems: true }),
    }),
    response: ProductVersion,
    problems: ['not_found'],
  },
  'DELETE /api/storage/productVersion/image': {
    summary: 'Remove a screenshot',
    query: Strict({ id: Uuid }),
    response: ProductVersion,
    problems: ['not_found'],
  },
  'POST /api/storage/productVersion/miniApp': {
    summary: 'Upload a mini-app package',
    description: `A zip of at most ${megabytes(largestPackage)} MB. The answer contains the report. A package with errors does not replace an accepted one.`,
    takesKey: 'publish',
    form: Strict({ productVersionId: Uuid }),
    response: ProductVersion,
    problems: ['not_found', 'file_missing', 'file_too_large', 'version_is_final'],
  },
  'POST /api/storage/productVersion/miniApp/repair': {
    summary: 'Repair the last refused package and check it again',
    description:
      'Makes the changes that the report lists as `repairs`, and nothing else. `sha256` names the refused file, so that the request cannot touch a later upload.',
    body: Strict({ productVersionId: Uuid, sha256: Sha256 }),
    response: ProductVersion,
    problems: ['not_found', 'version_is_final', 'refused_package_gone', 'storage_unavailable'],
  },
  'GET /api/storage/productVersion/miniApp': {
    summary: 'Download a mini-app package as `{title} - v{version}.zip`',
    query: Strict({ productVersionId: Uuid, localeCode: localeWithDefault }),
    response: Type.Any(),
    produces: 'application/zip',
    problems: ['not_found', 'package_missing', 'file_damaged', 'storage_unavailable'],
  },
  'POST /api/storage/provider/icon': {
    summary: 'Upload a provider’s icon',
    form: Strict({ providerId: Uuid }),
    response: Provider,
    problems: ['not_found', 'file_missing', 'file_too_large', 'image_refused'],
  },
  'GET /api/storage/image/{sha256}': {
    summary: 'An icon or screenshot by the SHA-256 of its bytes',
    description:
      'Needs no token, because an `img` element cannot send one; the address cannot be guessed.',
    access: 'public',
    params: Strict({ sha256: Sha256 }),
    response: Type.Any(),
    // PNG or JPEG.
    produces: 'image/*',
    problems: ['not_found', 'file_damaged', 'storage_unavailable'],
  },
})
