import { randomUUID } from 'node:crypto'
import type { Product } from '@grove/contract/cedar/product'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { refuse, type Answers } from './answers.ts'
import type { Titles } from './catalogue.ts'

const moment = '2026-03-01T09:30:00.000000Z'
const emptyPage = { items: [], next: null, previous: null }

const translationsOf = (titles: Titles) =>
  (['en-US', 'ru-RU'] as const).flatMap((localeCode) => {
    const title = titles[localeCode]
    return title === undefined ? [] : [{ localeCode, title }]
  })

export const appOf = (titles: Titles, more: Partial<Product> = {}): Product => ({
  productId: randomUUID(),
  providerId: randomUUID(),
  translations: translationsOf(titles),
  iconUrl: null,
  isDefault: false,
  linkId: null,
  opens7d: 0,
  liveVersion: null,
  newestVersion: null,
  versionCount: 0,
  versionLimit: 50,
  rights: { delete: null, createVersion: null },
  revision: 1,
  createdAt: moment,
  updatedAt: moment,
  ...more,
})

/** A version without a package. */
export const versionOf = (
  { productId, translations }: Product,
  version: string,
): ProductVersion => ({
  productVersionId: randomUUID(),
  productId,
  version,
  enabled: false,
  state: 'no_package',
  translations,
  images: [],
  package: null,
  lastRefused: null,
  missingPermissions: [],
  enabledAt: null,
  isFinal: false,
  rights: {
    enable: 'package_missing',
    delete: null,
    replacePackage: null,
    download: 'package_missing',
  },
  revision: 1,
  createdAt: moment,
  updatedAt: moment,
})

/**
 * The answers of the calls of apps and their versions; created and changed ones are kept for the
 * test.
 */
export function appAnswers(apps: Product[], versions: ProductVersion[] = []): Answers {
  const app = (id: string) =>
    apps.find(({ productId }) => productId === id) ?? refuse('not_found')()
  const version = (id: string) =>
    versions.find(({ productVersionId }) => productVersionId === id) ?? refuse('not_found')()
  const save = <T extends { revision: number }>(item: T, values: Partial<T>, revision?: number) => {
    if (revision !== undefined && revision !== item.revision) return refuse('edit_conflict')()
    return Object.assign(item, values, { revision: item.revision + 1 })
  }
  return {
    'GET /api/developer/product': ({ query: { q = '', status } }) => ({
      ...emptyPage,
      items: apps.filter(
        ({ translations, liveVersion }) =>
          translations.some(({ title }) => title.toLowerCase().includes(q.toLowerCase())) &&
          (status === undefined || status === (liveVersion ? 'live' : 'draft')),
      ),
    }),
    'POST /api/developer/product': ({ body: { translations } }) => {
      const created = appOf({}, { translations })
      apps.push(created)
      return created
    },
    'GET /api/developer/product/{id}': ({ params }) => app(params.id),
    'PUT /api/developer/product/{id}': ({ params, body, revision }) =>
      save(app(params.id), body, revision),
    'DELETE /api/developer/product/{id}': ({ params }) => {
      apps.splice(apps.indexOf(app(params.id)), 1)
      return null
    },
    'GET /api/developer/product/{id}/release': emptyPage,
    'GET /api/developer/failure': { items: [] },
    'GET /api/developer/productVersion': ({ query }) => ({
      ...emptyPage,
      items: versions.filter(({ productId }) => productId === query.productId),
    }),
    'POST /api/developer/productVersion': ({ body }) => {
      const created = versionOf(app(body.productId), body.version)
      versions.push(created)
      return created
    },
    'GET /api/developer/productVersion/{id}': ({ params }) => version(params.id),
    'PUT /api/developer/productVersion/{id}': ({ params, body, revision }) => {
      const { translations, enabled } = body
      return save(
        version(params.id),
        { ...(translations && { translations }), ...(enabled && { enabled, state: 'live' }) },
        revision,
      )
    },
    'PUT /api/developer/product/{id}/link': ({ params }) =>
      save(app(params.id), { linkId: 'Ab3dEfg' }),
  }
}
