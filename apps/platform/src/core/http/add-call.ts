import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import {
  keyKindOf,
  type BodyOf,
  type Call,
  type ParamsOf,
  type QueryOf,
  type ResponseOf,
} from '@grove/contract/call'
import { anonymous, type Actor, type AnonymousActor, type Origin } from '../actor.ts'
import { authorize, findMandate, keyOf, type AccessToken } from './access.ts'
import { compressAnswer } from './compress.ts'
import { onceAt } from '../once-at.ts'
import { formType } from './form-body.ts'
import { findUnstorableText } from './unstorable-text.ts'
import { invalidField, ProblemError } from './problem.ts'
import { readUpload, type Upload } from './upload.ts'
import { publicValidatorFor } from './validator.ts'

/** The input of a handler: the request's parts, validated and typed by the contract. */
export interface CallInput<C extends Call> {
  params: ParamsOf<C>
  query: QueryOf<C>
  body: BodyOf<C>
  /** The caller; unauthenticated in a public call. */
  actor: C['access'] extends 'public' ? AnonymousActor : Actor
  /** The revision in `If-Match`, if sent. */
  revision: number | undefined
  /** Reads the form fields and the file of a multipart call; fields must come before the file. */
  upload: (maxBytes: number) => Promise<Upload<C>>
  request: FastifyRequest
  reply: FastifyReply
}

/** The service that a call belongs to, and its api-version. */
export interface Api {
  name: string
  version: string
}

type Handler<C extends Call> = (input: CallInput<C>) => Promise<ResponseOf<C>> | ResponseOf<C>

/** Registers a call of the contract with the server: version, access, validation, response. */
export function addCall<T extends Record<string, Call>, K extends keyof T & string>(
  app: FastifyInstance,
  /** The contract that contains the call. */
  calls: T,
  key: K,
  handler: Handler<T[K]>,
): void {
  const call: Call | undefined = calls[key]
  if (!call) throw new Error(`The contract has no call ${key}.`)
  const [method = '', path = ''] = key.split(' ')
  app.route({
    method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    schema: schemaOf(call, apiOf(call, app)),
    // HEAD would run the handler, and a download changes what it downloads.
    exposeHeadRoute: false,
    ...(call.access === 'public' && {
      bodyLimit: publicBodyBytes(call),
      validatorCompiler: ({ schema, httpPart }) => publicValidatorFor(schema as object, httpPart),
    }),
    ...(method === 'GET' && isJson(call) && { onSend: compressAnswer }),
    // Before the body is read: a stranger's upload costs nothing.
    onRequest: async (request, reply) => {
      checkApiVersion(request, apiOf(call, app))
      checkEncoding(request, call)
      if (call.access === 'public') return
      const { authorization } = request.headers
      const key = keyOf(authorization)
      request.accessToken = await (key === undefined
        ? authorize(call.access, authorization, verifierOf(app, call))
        : authorizeKey(app, call, key, request))
      if (typeof call.access === 'object')
        request.mandate = await findMandate(
          call.access,
          request.accessToken,
          request,
          app.findMandate ?? undefined,
        )
      if (call.produces !== undefined) endWithRights(app, request, reply)
      if (method !== 'GET') app.countChange(request.accessToken)
      if (call.form) app.holdUploadSlot(request, reply)
    },
    // Refused here and not by the database: a null character or an unpaired surrogate.
    preHandler: async (request) => {
      const path = [request.params, request.query, request.body]
        .map((part) => findUnstorableText(part))
        .find((found) => found !== undefined)
      if (path !== undefined)
        throw invalidField(
          path,
          'unstorable',
          `${path || 'body'} holds a character that is not text.`,
        )
    },
    handler: async (request, reply) => {
      reply.header('cache-control', 'no-store')
      if (call.status !== undefined) reply.code(call.status)
      const result = await handler({
        params: request.params,
        query: request.query,
        body: request.body,
        actor: actorOf(request),
        revision: revisionOf(request),
        upload: (maxBytes: number) => readUpload(request, reply, call, maxBytes),
        request,
        reply,
      } as CallInput<T[K]>)
      if (method !== 'GET' && request.accessToken !== null)
        await app.wrote(request.accessToken.userId)
      return call.status === 204 ? reply.send() : result
    },
  })
}

/** A call that may answer `account_disabled` reads the account and its session itself. */
const verifierOf = (app: FastifyInstance, { problems = [] }: Call) =>
  problems.includes('account_disabled') ? app.verifySignature : app.verifyAccessToken

/**
 * Streams and downloads end with the right to them: on losing the session, key, role or membership,
 * or when the account or key expires.
 */
function endWithRights(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): void {
  const { accessToken, mandate } = request
  const scope = mandate?.scope
  const serviceId = scope && 'serviceId' in scope ? scope.serviceId : undefined
  const subjects = [accessToken?.sessionId, accessToken?.userId, serviceId]
  const end = () => void reply.raw.destroy()
  const stop = app.revocations.onceLost(
    subjects.filter((subject) => typeof subject === 'string'),
    end,
  )
  reply.raw.once('close', stop)
  if (mandate?.endsAt !== undefined) reply.raw.once('close', onceAt(mandate.endsAt, app.now, end))
}

async function authorizeKey(
  app: FastifyInstance,
  call: Call,
  key: string,
  request: FastifyRequest,
): Promise<AccessToken> {
  const found = await app.verifyKey?.(key, request)
  if (!found) throw new ProblemError('unauthorized', 'The key is unknown or has expired.')
  if (found.kind !== keyKindOf(call))
    throw new ProblemError('forbidden', 'This call does not accept such a key.')
  return found.token
}

// Unauthenticated bodies are small: an address, a password, a token; a provider's code may be longer.
const publicBodyBytes = ({ isFormEncoded = false }: Call) => (isFormEncoded ? 16 : 4) * 1024

const isJson = (call: Call) => call.produces === undefined && call.status !== 204

function schemaOf(call: Call, api: Api | null): FastifySchema {
  return {
    summary: call.summary,
    ...(call.description && { description: call.description }),
    ...(api && { tags: [api.name] }),
    ...(call.params && { params: call.params }),
    ...(call.query && { querystring: call.query }),
    ...(call.body && { body: call.body }),
    ...(isJson(call) && { response: { [call.status ?? 200]: call.response } }),
    // Read by core/http/openapi.ts.
    call,
  } as FastifySchema
}

/** A service may serve a call that the contract assigns to another, in that service's version. */
const apiOf = ({ service }: Call, { api, apiVersions }: FastifyInstance): Api | null => {
  const version = apiVersions[service]
  return api && version !== undefined ? { name: service, version } : api
}

// An absent header means the current version.
function checkApiVersion(request: FastifyRequest, api: Api | null): void {
  const version = request.headers['api-version']
  if (api === null || version === undefined || version === api.version) return
  throw new ProblemError(
    'unsupported_api_version',
    `This call answers api-version ${api.version}, not ${String(version).slice(0, 20)}.`,
  )
}

// A page elsewhere can post a form without a preflight, so only calls meant for forms accept one.
function checkEncoding(request: FastifyRequest, { isFormEncoded = false }: Call): void {
  // Case-insensitively, as the parser accepts it and browsers pass it on.
  const isForm = (request.headers['content-type'] ?? '').toLowerCase().startsWith(formType)
  if (isForm !== isFormEncoded)
    throw new ProblemError(
      'unsupported_media_type',
      isFormEncoded ? `Send the body as ${formType}.` : 'Send the body as application/json.',
    )
}

/** The only place where an actor is created from a request. */
function actorOf(request: FastifyRequest): Actor | AnonymousActor {
  const origin = originOf(request)
  if (request.accessToken === null) return anonymous(origin)
  const { userId, roles, sessionId } = request.accessToken
  const { mandate } = request
  return { id: userId, roles, sessionId, origin, ...(mandate && { mandate }) }
}

export function originOf(request: FastifyRequest): Origin {
  return {
    requestId: request.id,
    ip: request.ip,
    userAgent: (request.headers['user-agent'] ?? '').slice(0, 300),
  }
}

// The range of a revision column.
const latestRevision = 2_147_483_647

function revisionOf(request: FastifyRequest): number | undefined {
  const header = request.headers['if-match']
  if (header === undefined || header === '*') return undefined
  const revision = Number(/^(?:W\/)?"?(\d{1,15})"?$/.exec(header)?.[1] ?? Number.NaN)
  if (Number.isNaN(revision) || revision > latestRevision)
    throw invalidField(
      'If-Match',
      'pattern',
      'If-Match must be the revision that you read, such as "3".',
    )
  return revision
}
