import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { CatalogueProductDetails } from '@grove/contract/cedar/catalogue'
import { refuse, type Answers } from './answers.ts'
import { icon, screenshot } from './catalogue.ts'
import { signToken } from './console-server.ts'

const moment = '2026-03-01T09:30:00.000000Z'

/** Images by the SHA-256 of their bytes. */
const images = new Map(
  [icon, screenshot('en-1'), screenshot('en-2')].map((file) => {
    const bytes = readFileSync(file)
    return [createHash('sha256').update(bytes).digest('hex'), bytes] as const
  }),
)
const [iconUrl = '', ...screenshotUrls] = [...images.keys()].map(
  (sha256) => `/api/storage/image/${sha256}`,
)

type Listing = CatalogueProductDetails['translations'][number]

/** A live app as visitors see it, with two screenshots in each of its languages. */
export const liveApp = (...translations: Listing[]): CatalogueProductDetails => ({
  productId: randomUUID(),
  translations,
  iconUrl,
  provider: null,
  version: '1.0.0',
  releasedAt: moment,
  images: translations.flatMap(({ localeCode }) =>
    screenshotUrls.map((url) => ({ localeCode, url, width: 750, height: 1334 })),
  ),
  bytes: 45_000,
})

/** The answers that visitors get about live apps, in the given order. */
export const catalogueAnswers = (apps: CatalogueProductDetails[]): Answers => ({
  'GET /api/token/anonymous': () => ({
    token: { tokenType: 'Bearer', accessToken: signToken({ id: randomUUID(), roles: [] }) },
  }),
  'GET /api/catalogue/product': ({ query: { q = '', cursor, limit = 50 } }) => {
    if (cursor !== undefined && !/^\d+$/.test(cursor)) return refuse('bad_cursor')()
    const found = apps.filter(({ translations }) =>
      translations.some(({ title }) => title.toLowerCase().includes(q.toLowerCase())),
    )
    const at = Number(cursor ?? 0)
    return {
      items: found.slice(at, at + limit),
      next: at + limit < found.length ? String(at + limit) : null,
      previous: at > 0 ? String(Math.max(0, at - limit)) : null,
    }
  },
  'GET /api/catalogue/product/{id}': ({ params }) =>
    apps.find(({ productId }) => productId === params.id) ?? refuse('not_found')(),
  'GET /api/storage/image/{sha256}': ({ params }: { params: { sha256: string } }) =>
    images.get(params.sha256) ?? refuse('not_found')(),
})
