import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { Problem, type Call } from '@grove/contract'
import { apiVersions } from '../api-versions.ts'
import { problemKinds } from './problem.ts'

// The page's own default allows any https origin and turns http addresses into https ones.
const documentationPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The document at `/api/openapi.json` and a page to read it at `/api/docs`. */
export async function installOpenApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Grove',
        version: '1',
        description: 'Errors are problem details (RFC 9457) with a stable `code`.',
      },
      tags: Object.entries(apiVersions).map(([name, version]) => ({
        name,
        description: `api-version ${version}`,
      })),
      components: {
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      },
    },
    transform: ({ schema, url }) => ({ schema: documented(schema), url }),
  })
  await app.register(swaggerUi, {
    routePrefix: '/api/docs',
    staticCSP: documentationPolicy,
    // Its own default sends the address of the document to a server of the page's maker.
    uiConfig: { validatorUrl: null },
  })
  app.get('/api/openapi.json', { schema: { hide: true } }, async () => app.swagger())
}

/** Adds what the document tells beyond what the server validates from. */
function documented(schema: FastifySchema & { call?: Call }): FastifySchema {
  const { call, ...rest } = schema
  if (!call) return { ...rest, hide: true }
  const status = call.status ?? 200
  const success =
    call.status === 204
      ? { description: 'Done', type: 'null' }
      : call.produces
        ? {
            description: 'Done',
            content: { [call.produces]: { schema: { type: 'string', format: 'binary' } } },
          }
        : call.response
  return {
    ...rest,
    ...(call.access !== 'public' && { security: [{ bearer: [] }] }),
    headers: headersOf(call),
    ...(call.isFormEncoded && { consumes: ['application/x-www-form-urlencoded'] }),
    ...(call.form && { consumes: ['multipart/form-data'], body: formBody(call.form) }),
    response: { [status]: success, ...problems(call) },
  }
}

function headersOf(call: Call) {
  const revision = {
    type: 'string',
    description: 'The revision that was read; 409 when it changed',
  }
  return {
    type: 'object',
    properties: {
      'api-version': { type: 'string', description: 'The current one when left out' },
      ...(call.problems?.includes('edit_conflict') && { 'if-match': revision }),
    },
  }
}

function formBody(form: NonNullable<Call['form']>) {
  const { properties, required } = form as unknown as {
    properties: Record<string, unknown>
    required?: string[]
  }
  return {
    type: 'object',
    properties: { ...properties, file: { type: 'string', format: 'binary' } },
    required: [...(required ?? []), 'file'],
  }
}

function problems(call: Call): Record<number, unknown> {
  const codes = new Set([
    'invalid_request',
    'unsupported_api_version',
    ...(call.body ? ['malformed_json', 'body_too_large', 'unsupported_media_type'] : []),
    ...(call.form ? ['unsupported_media_type', 'storage_full'] : []),
    ...(call.access === 'public' ? [] : ['unauthorized', 'keys_unavailable']),
    // Any verified token will do for the others.
    ...(call.access === 'public' || call.access === 'anonymous' ? [] : ['forbidden']),
    ...(call.problems ?? []),
    'internal_error',
    'database_unavailable',
  ])
  const byStatus = new Map<number, string[]>()
  for (const code of codes) {
    const [status] = problemKinds[code as keyof typeof problemKinds]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [
      status,
      {
        description: list.map((code) => `\`${code}\``).join(', '),
        content: { 'application/problem+json': { schema: Problem } },
      },
    ]),
  )
}
