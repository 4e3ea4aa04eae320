import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import {
  LocaleCode,
  Nullable,
  Page,
  pageQuery,
  SearchText,
  Strict,
  Timestamp,
  Uuid,
} from '../shapes.ts'

const Localised = Type.Object({
  localeCode: LocaleCode,
  title: Type.String(),
  shortDescription: Type.Optional(Type.String()),
})

const CatalogueProduct = Type.Object({
  productId: Uuid,
  translations: Type.Array(Localised),
  iconUrl: Nullable(Type.String()),
  /** The organisation; null for a developer's own apps: a generic provider has no public name. */
  provider: Nullable(
    Type.Object({
      translations: Type.Array(Type.Object({ localeCode: LocaleCode, name: Type.String() })),
    }),
  ),
  version: Type.String(),
  /** When this version went live. */
  releasedAt: Timestamp,
})
export type CatalogueProduct = Type.Static<typeof CatalogueProduct>

export const CatalogueProductDetails = Type.Object({
  ...CatalogueProduct.properties,
  translations: Type.Array(
    Type.Object({
      ...Localised.properties,
      description: Type.Optional(Type.String()),
      whatsNew: Type.Optional(Type.String()),
    }),
  ),
  images: Type.Array(
    Type.Object({
      localeCode: LocaleCode,
      url: Type.String(),
      width: Type.Integer(),
      height: Type.Integer(),
    }),
  ),
  /** Of the package, in bytes. */
  bytes: Type.Integer(),
})
export type CatalogueProductDetails = Type.Static<typeof CatalogueProductDetails>

export const catalogueCalls = defineCalls('cedar', 'anonymous', {
  'GET /api/catalogue/product': {
    summary: 'List the live mini-apps',
    query: Strict({
      ...pageQuery,
      q: Type.Optional(SearchText('Part of a title in any locale')),
    }),
    response: Page(CatalogueProduct),
    problems: ['bad_cursor'],
  },
  'GET /api/catalogue/product/{id}': {
    summary: 'One live mini-app',
    response: CatalogueProductDetails,
  },
})
