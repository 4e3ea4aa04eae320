import { linkCalls } from '@grove/contract/cedar/link'
import { productCalls } from '@grove/contract/cedar/product'
import { defaultPeriod } from '@grove/contract/cedar/link.rules'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readStale } from '../../../core/database/replica.ts'
import { addCall } from '../../../core/http/add-call.ts'
import { networksOf } from '../../../core/http/network.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { publicOriginOf } from '../../../core/http/public-origin.ts'
import { rateLimit } from '../../../core/rate-limit.ts'
import type { CedarContext } from '../context.ts'
import { openPackageOf } from './linked-package.service.ts'
import { addLink, listLinks, readOpens, removeLink, shareApp } from './link.service.ts'
import { linkPages } from './link-page.routes.ts'
import { linkReader, type LinkView } from './linked-app.service.ts'
import { isOpen } from './is-open.ts'
import { openCounter } from './open-counter.ts'

export function linkRoutes(app: FastifyInstance, context: CedarContext): void {
  const readLink = linkReader(context)
  const limitOpens = opensLimit(context)
  const opens = openCounter(context)
  app.addHook('onClose', async () => {
    opens.stop()
    await opens.flush().catch((error: unknown) => app.log.warn(error, 'opens were not counted'))
  })

  const countOpen = (request: FastifyRequest, { app: { linkId, productId } }: LinkView) => {
    if (isOpen(request)) opens.count(linkId, productId)
  }
  app.register((scope) => linkPages(scope, { context, readLink, limitOpens, countOpen }))

  addCall(app, linkCalls, 'GET /api/{linkId}', async ({ actor, params, request, reply }) => {
    limitOpens(request)
    const view = await readLink(actor, params.linkId)
    const { app: linked, etag } = view
    countOpen(request, view)
    reply.headers({ etag: `"${etag}"`, 'cache-control': 'no-cache' })
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
    return linked
  })
  addCall(
    app,
    linkCalls,
    'GET /api/{linkId}/package/{sha256}',
    async ({ actor, params, request, reply }) => {
      limitOpens(request)
      const { app: linked } = await readLink(actor, params.linkId)
      const isHere = request.headers['if-none-match']?.includes(params.sha256)
      if (isHere && linked.package.sha256 === params.sha256) return reply.code(304).send()
      const file = await openPackageOf(context, actor, { linked, sha256: params.sha256 })
      return reply
        .type('application/zip')
        .headers({
          'content-length': file.bytes,
          'content-disposition': 'attachment',
          // The hash names the content; whether the link still serves it is checked each time.
          'cache-control': 'no-cache',
          etag: `"${params.sha256}"`,
          'content-security-policy': "default-src 'none'; sandbox",
        })
        .send(file.stream)
    },
  )
  addCall(app, linkCalls, 'POST /api/cedar/apps/miniapps/share', ({ actor, body, request }) =>
    shareApp(context, actor, { ...body, origin: publicOriginOf(context.config, request) }),
  )
  addCall(app, productCalls, 'PUT /api/developer/product/{id}/link', ({ actor, params }) =>
    addLink(context, actor, params),
  )
  addCall(
    app,
    productCalls,
    'DELETE /api/developer/product/{id}/link',
    ({ actor, params, query }) => removeLink(context, actor, { ...params, ...query }),
  )
  addCall(app, linkCalls, 'GET /api/developer/product/{id}/link', ({ actor, params }) =>
    listLinks(context, actor, params),
  )
  addCall(app, linkCalls, 'GET /api/developer/product/{id}/opens', ({ actor, params, query }) =>
    readStale(context, actor, (from) =>
      readOpens(from, actor, { ...params, days: query.days ?? defaultPeriod }),
    ),
  )

  app.get('/.well-known/package-keys.json', { schema: { hide: true } }, (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=300')
      .header('access-control-allow-origin', '*')
      .send({ keys: [context.packageKey.publicJwk] }),
  )
}

/** Far more than the people in one network open, and far less than guessing ids needs. */
function opensLimit({ settings, now }: CedarContext) {
  const { linkOpensPerMinute: perMinute } = settings
  const waitOf = rateLimit({ burst: perMinute, perMinute, now })
  return ({ ip }: FastifyRequest) => {
    if (perMinute === 0) return
    const wait = Math.max(...networksOf(ip).map((network) => waitOf(network)))
    if (wait > 0)
      throw new ProblemError(
        'too_many_attempts',
        'Too many links were opened from this network. Wait and try again.',
        { retryAfter: Math.ceil(wait / 1000) },
      )
  }
}
