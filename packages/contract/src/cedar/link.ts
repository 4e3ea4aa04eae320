import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import { Nullable, Strict, Timestamp, Uuid } from '../shapes.ts'
import { CatalogueProductDetails } from './catalogue.ts'
import { linkIdLength, maxPeriod, maxShareUrlLength, defaultPeriod } from './link.rules.ts'

const LinkId = Type.String({
  minLength: linkIdLength,
  maxLength: linkIdLength,
  examples: ['Ab3dEfg'],
})

const Share = Type.Object({
  linkId: LinkId,
  /** The public page of the link. */
  url: Type.String(),
  productId: Uuid,
  /** Where in the app the link leads: path, query and fragment; `/` is its first page. */
  target: Type.String(),
  /** The version that the link stays with; null when it opens the live one. */
  version: Nullable(Type.Object({ productVersionId: Uuid, version: Type.String() })),
})

const ProductLink = Type.Object({
  linkId: LinkId,
  target: Type.String(),
  version: Share.properties.version,
  /** How often it was opened in the last 7 days of UTC, today included. */
  opens7d: Type.Integer(),
  createdAt: Timestamp,
})
export type ProductLink = Type.Static<typeof ProductLink>

const { bytes, ...details } = CatalogueProductDetails.properties

/** What anyone may know of the app that a link opens. */
const LinkedApp = Type.Object({
  linkId: Type.String(),
  target: Type.String(),
  ...details,
  productVersionId: Uuid,
  /** Whether the link stays with this version. */
  isPinned: Type.Boolean(),
  package: Type.Object({
    /** Where to download it, relative to the service's address. */
    url: Type.String(),
    /** SHA-256 of the file, in hexadecimal. */
    sha256: Type.String(),
    bytes,
    /**
     * A compact JWS (EdDSA) of product, version, hash and size; its key is at
     * `/.well-known/package-keys.json`.
     */
    signature: Type.String(),
  }),
})
export type LinkedApp = Type.Static<typeof LinkedApp>

export const linkCalls = defineCalls('cedar', 'developer', {
  'GET /api/{linkId}': {
    summary: 'The app that a link opens',
    description:
      'For host apps. The id has exactly 7 letters and digits. Carries an `ETag`; a link that was removed, and an app that is not live, answer 410.',
    access: 'public',
    params: Strict({ linkId: Type.String() }),
    response: LinkedApp,
    problems: [
      'not_found',
      'link_removed',
      'provider_disabled',
      'app_not_live',
      'too_many_attempts',
    ],
  },
  'GET /api/{linkId}/package/{sha256}': {
    summary: 'The package of the app that a link opens',
    description:
      'A hash that is not the one the link answers now is not found: read the link again.',
    access: 'public',
    params: Strict({ linkId: Type.String(), sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) }),
    response: Type.Any(),
    produces: 'application/zip',
    problems: [
      'not_found',
      'link_removed',
      'provider_disabled',
      'app_not_live',
      'too_many_attempts',
      'file_damaged',
    ],
  },
  'POST /api/cedar/apps/miniapps/share': {
    summary: 'Share an app by a link',
    description:
      'Answers a link to the app of the version: to whatever version is live, or to this one when `pinned`. The same share answers the same link. `url` is an address of this platform; its path, query and fragment say where in the app the link leads.',
    body: Strict({
      url: Type.String({
        minLength: 1,
        maxLength: maxShareUrlLength,
        examples: ['http://127.0.0.1:3000/'],
      }),
      version_id: Uuid,
      pinned: Type.Optional(Type.Boolean()),
    }),
    response: Share,
    problems: ['not_found', 'version_never_live', 'limit_reached', 'console_address_unknown'],
  },
  'GET /api/developer/product/{id}/link': {
    summary: 'The links of a product',
    response: Type.Object({ items: Type.Array(ProductLink) }),
  },
  'GET /api/developer/product/{id}/opens': {
    summary: 'How often the links of a product were opened',
    query: Strict({
      days: Type.Optional(Type.Integer({ minimum: 1, maximum: maxPeriod, default: defaultPeriod })),
    }),
    response: Type.Object({
      /** Days of UTC, the last one today. */
      days: Type.Array(Type.String({ format: 'date' })),
      /** One count for each day. */
      opens: Type.Array(Type.Integer()),
    }),
  },
})
