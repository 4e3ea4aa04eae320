import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { LocaleCode } from '@grove/contract/locale.rules'
import { processActor } from '../../../core/actor.ts'
import { toProblemError } from '../../../core/http/error-handler.ts'
import { findPublicOrigin } from '../../../core/http/public-origin.ts'
import type { CedarContext } from '../context.ts'
import type { LinkView, ReadLink } from './linked-app.service.ts'
import { previewOf } from './preview.service.ts'
import { appPage } from './page/app-page.ts'
import { noticePage } from './page/page-layout.ts'
import { localeOf } from './page/page-locale.ts'
import { pagePolicy } from './page/page-style.ts'

export interface LinkPages {
  context: CedarContext
  readLink: ReadLink
  /** @throws ProblemError `too_many_attempts`. */
  limitOpens: (request: FastifyRequest) => void
  countOpen: (request: FastifyRequest, view: LinkView) => void
}

interface Body {
  bytes: Buffer
  headers: Record<string, string>
}

interface Page {
  etag: string
  plain: Body
  br: Body
  gzip: Body
}

const linkPage = '/:linkId(^[0-9A-Za-z]{7}$)'

const headers = {
  'content-type': 'text/html; charset=utf-8',
  // A removed link stops working immediately.
  'cache-control': 'no-cache',
  vary: 'accept-language, accept-encoding',
  'content-security-policy': pagePolicy,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

const stranger = processActor('')

/** The public page of a link and its preview image, for anyone and without scripts. */
export async function linkPages(app: FastifyInstance, pages: LinkPages): Promise<void> {
  const { context, readLink, limitOpens, countOpen } = pages
  const hasConsole = context.services.includes('console')
  const pageOf = pageMaker(context, hasConsole)
  // The origin depends only on the host. Recomputing these costs a third of a request.
  const originOf = remembered(
    ({ headers: { host = '' } }: FastifyRequest) => host,
    (request) => findPublicOrigin(context.config, request),
  )

  app.setErrorHandler((error: FastifyError, request, reply) => {
    const problem = toProblemError(error, {})
    if (problem.status >= 500) request.log.error({ err: error }, problem.message)
    app.securityCounter.count(problem.code, app.api?.name, request.ip)
    if (problem.retryAfter !== undefined) reply.header('retry-after', String(problem.retryAfter))
    return reply
      .code(problem.status)
      .headers({ ...headers, 'cache-control': 'no-store' })
      .send(noticePage(problem.code, requestedLocale(request), hasConsole))
  })

  app.get<{ Params: { linkId: string } }>(
    linkPage,
    { schema: { hide: true } },
    async (request, reply) => {
      limitOpens(request)
      const view = await readLink(stranger, request.params.linkId)
      countOpen(request, view)
      const page = pageOf(view, requestedLocale(request), originOf(request))
      const body = bodyFor(page, request.headers['accept-encoding'] ?? '')
      reply.headers(body.headers)
      if (request.headers['if-none-match']?.includes(page.etag)) return reply.code(304).send()
      return reply.send(body.bytes)
    },
  )

  app.get<{ Params: { linkId: string } }>(
    `${linkPage}/preview.png`,
    { schema: { hide: true } },
    async (request, reply) => {
      limitOpens(request)
      const view = await readLink(stranger, request.params.linkId)
      const preview = await previewOf(context, stranger, {
        view,
        locale: requestedLocale(request),
      })
      reply.headers({
        'content-type': 'image/png',
        // The page's URL for it contains a content hash.
        'cache-control': 'public, max-age=86400',
        etag: preview.etag,
        'cross-origin-resource-policy': 'cross-origin',
        'content-security-policy': "default-src 'none'; sandbox",
      })
      if (request.headers['if-none-match']?.includes(preview.etag)) return reply.code(304).send()
      return reply.send(preview.png)
    },
  )
}

const preferredLocale = remembered(
  ({ headers }: FastifyRequest) => headers['accept-language'] ?? '',
  ({ headers }) => localeOf(undefined, headers['accept-language']),
)

function requestedLocale(request: FastifyRequest): LocaleCode {
  const { lang } = request.query as Record<string, unknown>
  return lang === undefined
    ? preferredLocale(request)
    : localeOf(lang, request.headers['accept-language'])
}

/** Caches a value derived from the request; only a few keys, since strangers make them up. */
function remembered<T>(
  keyOf: (request: FastifyRequest) => string,
  make: (request: FastifyRequest) => T,
) {
  const known = new Map<string, T>()
  return (request: FastifyRequest): T => {
    const key = keyOf(request)
    const value = known.get(key)
    if (value !== undefined) return value
    const made = make(request)
    if (known.size >= 200) known.clear()
    known.set(key, made)
    return made
  }
}

// A local server has as many origins as names.
const maxPages = 8
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }

function pageMaker({ settings }: CedarContext, hasConsole: boolean) {
  return (view: LinkView, locale: LocaleCode, origin: string | null): Page => {
    const key = `page ${locale} ${origin}`
    const known = view.made.get(key) as Page | undefined
    if (known) return known
    const { appLink, appInstall } = settings
    const imageVersion = view.etag.slice(0, 8)
    const plain = Buffer.from(
      appPage({ app: view.app, locale, origin, imageVersion, appLink, appInstall, hasConsole }),
    )
    // Weak: it covers every encoding of the page.
    const etag = `W/"${view.etag}-${locale}"`
    const own = { ...headers, 'content-language': locale, etag }
    const coded = (coding: string, bytes: Buffer) => ({
      bytes,
      headers: { ...own, 'content-encoding': coding },
    })
    const page: Page = {
      etag,
      plain: { bytes: plain, headers: own },
      br: coded('br', brotliCompressSync(plain, quality)),
      gzip: coded('gzip', gzipSync(plain)),
    }
    if (view.made.size >= maxPages) view.made.clear()
    view.made.set(key, page)
    return page
  }
}

function bodyFor(page: Page, accepted: string): Body {
  if (/\bbr\b/.test(accepted)) return page.br
  return /\bgzip\b/.test(accepted) ? page.gzip : page.plain
}
