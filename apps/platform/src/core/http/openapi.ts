import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifySchema } from 'fastify'
import type { Platform } from '../platform.ts'
import { keyKindOf, problemsOf, type Call, type RightAccess } from '@grove/contract/call'
import { Problem } from '@grove/contract/shapes'
import { problemCodes } from '@grove/contract/problem-codes'
import { stageHeader } from '@grove/contract/stage.rules'
import { publicDocument, sendDocument, type PublicDocument } from './public-document.ts'

const document = '/api/openapi.json'

// The page's default allows any https origin and upgrades http URLs to https.
const documentationPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // The only policy that the page creates.
  'trusted-types dompurify',
].join('; ')

/** Serves the document at `/api/openapi.json` and, if enabled, a page to read it at `/api/docs`. */
export async function installOpenApi(
  app: FastifyInstance,
  { apiVersions, config }: Pick<Platform, 'apiVersions' | 'config'>,
): Promise<void> {
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
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          key: { type: 'http', scheme: 'bearer', bearerFormat: 'grove_…' },
        },
      },
    },
    transform: ({ schema, url }) => ({ schema: documented(schema), url }),
  })
  if (config.hasDocs) await installPage(app)
  // All calls are known once the server is ready, so the document is built at the first request and
  // cached.
  let made: Promise<PublicDocument> | undefined
  app.get(document, { schema: { hide: true } }, async (request, reply) => {
    made ??= publicDocument(Buffer.from(JSON.stringify(app.swagger())))
    reply.type('application/json; charset=utf-8')
    return sendDocument(request, reply, await made)
  })
}

async function installPage(app: FastifyInstance): Promise<void> {
  await app.register(swaggerUi, {
    routePrefix: '/api/docs',
    staticCSP: documentationPolicy,
    // Its default sends the document's URL to a server of Swagger.
    uiConfig: { validatorUrl: null },
    // The page's own two routes for the document would rebuild it at each request.
    uiHooks: {
      onRequest: async (request, reply) => {
        const [path = ''] = request.url.split('?')
        if (/\/(json|yaml)$/.test(path)) return reply.redirect(document, 308)
      },
    },
  })
}

/** Adds what the document shows and the server does not validate. */
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
    ...(typeof call.access === 'object' && { description: describeRight(call, call.access) }),
    ...(call.access !== 'public' && {
      security: [{ bearer: [] }, ...(keyKindOf(call) ? [{ key: [] }] : [])],
    }),
    headers: headersOf(call),
    ...(call.isFormEncoded && { consumes: ['application/x-www-form-urlencoded'] }),
    ...(call.form && { consumes: ['multipart/form-data'], body: formBody(call.form) }),
    response: { [status]: success, ...problems(call) },
  }
}

function describeRight({ description }: Call, { right, isScoped }: RightAccess): string {
  const scope = isScoped
    ? ' An account of a service provider has it for the objects of that service provider, and a developer for those of their working stage.'
    : ''
  return `${description ? `${description} ` : ''}Needs the right \`${right}\`.${scope}`
}

function headersOf(call: Call) {
  const revision = {
    type: 'string',
    description: 'The revision that you read; 409 if it changed',
  }
  return {
    type: 'object',
    properties: {
      'api-version': { type: 'string', description: 'The current version by default' },
      ...(keyKindOf(call) === 'api' && {
        [stageHeader]: { type: 'string', description: 'The provider that you work for: its id' },
      }),
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
  const byStatus = new Map<number, string[]>()
  for (const code of problemsOf(call)) {
    const [status] = problemCodes[code]
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
