import { Type } from 'typebox'
import { changes, creates, defineCalls } from '../call.ts'
import {
  ListQuery,
  LocaleCode,
  Name,
  noContent,
  Nullable,
  Page,
  Right,
  SearchText,
  stored,
  Strict,
  Uuid,
} from '../shapes.ts'
import { locales } from '../locale.rules.ts'
import { linkIdLength } from './link.rules.ts'
import { maxTitleLength, productSorting, productStatuses } from './product.rules.ts'
import { VersionState } from './product-version.ts'

export const ProductTranslation = Strict({
  localeCode: LocaleCode,
  title: Name(maxTitleLength),
})

const VersionSummary = Type.Object({
  productVersionId: Uuid,
  version: Type.String(),
  state: VersionState,
  /** The languages in which it has a title and a description. */
  locales: Type.Array(LocaleCode),
})

export const Product = Type.Object({
  productId: Uuid,
  providerId: Uuid,
  translations: Type.Array(ProductTranslation),
  iconUrl: Nullable(Type.String()),
  isDefault: Type.Boolean(),
  linkId: Nullable(Type.String()),
  /** How often its links were opened in the last 7 days of UTC, today included. */
  opens7d: Type.Integer(),
  liveVersion: Nullable(VersionSummary),
  newestVersion: Nullable(VersionSummary),
  versionCount: Type.Integer(),
  versionLimit: Type.Integer(),
  rights: Type.Object({
    delete: Right('product_is_live'),
    createVersion: Right('limit_reached'),
  }),
  ...stored,
})
export type Product = Type.Static<typeof Product>

const translations = Type.Array(ProductTranslation, { minItems: 1, maxItems: locales.length })

export const productCalls = defineCalls('cedar', 'developer', {
  'GET /api/developer/product': {
    summary: 'List products',
    query: ListQuery(
      {
        providerId: Uuid,
        q: SearchText('Part of a title in any locale'),
        status: Type.Enum(productStatuses),
      },
      productSorting,
    ),
    response: Page(Product),
    problems: ['not_found', 'bad_cursor'],
  },
  'POST /api/developer/product': {
    summary: 'Create a product',
    description: 'Belongs to the caller’s generic provider by default.',
    body: Strict({ providerId: Type.Optional(Uuid), translations }),
    ...creates(Product, 'not_found', 'limit_reached'),
  },
  'GET /api/developer/product/{id}': {
    summary: 'One product',
    takesKey: 'publish',
    response: Product,
  },
  'PUT /api/developer/product/{id}': {
    summary: 'Change a product’s titles',
    body: Strict({ translations }),
    ...changes(Product),
  },
  'DELETE /api/developer/product/{id}': {
    summary: 'Delete a product with its versions and packages',
    ...noContent,
    problems: ['product_is_live'],
  },
  'POST /api/developer/product/default/{id}': {
    summary: 'Make a product the default of its provider',
    response: Product,
  },
  'PUT /api/developer/product/{id}/link': {
    summary: 'Give a product a link id of 7 characters',
    response: Product,
  },
  'DELETE /api/developer/product/{id}/link': {
    summary: 'Remove a product’s link id',
    description:
      'With `linkId`, removes that link of the product instead. People who open it see that it is gone; no link gets the id again.',
    query: Strict({
      linkId: Type.Optional(Type.String({ minLength: linkIdLength, maxLength: linkIdLength })),
    }),
    response: Product,
  },
})
