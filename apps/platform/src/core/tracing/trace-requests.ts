import { context, SpanStatusCode, type Context, type Span } from '@opentelemetry/api'
import type { FastifyInstance } from 'fastify'
import { contextOf, SpanKind, startSpan } from './tracing.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null if nothing is traced. */
    traced: { span: Span; inside: Context } | null
  }
}

/** Requested every few seconds by balancers and collectors. */
const probes = /^\/(healthz|readyz|metrics)\b/

/**
 * Creates a span for each request. Continues a trace only from a trusted proxy: a client could name
 * any trace, and decide what is kept.
 */
export function traceRequests(
  app: FastifyInstance,
  { trustsProxy }: { trustsProxy: boolean },
): void {
  app.decorateRequest('traced', null)
  app.addHook('onRequest', (request, _reply, done) => {
    if (probes.test(request.url)) return done()
    const { traceparent } = request.headers
    const parent = contextOf(trustsProxy && typeof traceparent === 'string' ? traceparent : null)
    const [path = ''] = request.url.split('?')
    request.traced = startSpan(request.method, {
      kind: SpanKind.SERVER,
      parent,
      attributes: {
        'http.request.method': request.method,
        'url.path': path,
        'grove.request_id': request.id,
      },
    })
    context.with(request.traced.inside, done)
  })
  // The end of a body comes from its socket, outside the request's context.
  app.addHook('preValidation', (request, _reply, done) =>
    request.traced ? context.with(request.traced.inside, done) : done(),
  )
  app.addHook('onResponse', async (request, reply) => {
    if (!request.traced) return
    const { span } = request.traced
    const { url: route } = request.routeOptions
    if (route !== undefined) {
      span.updateName(`${request.method} ${route}`)
      span.setAttribute('http.route', route)
    }
    span.setAttribute('http.response.status_code', reply.statusCode)
    if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  })
}
