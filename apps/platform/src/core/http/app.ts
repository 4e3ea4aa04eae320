import cors from '@fastify/cors'
import multipart from '@fastify/multipart'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import { stageHeader } from '@grove/contract/stage.rules'
import { installBackup } from '../backup/backup.routes.ts'
import { scheduleBackups } from '../backup/schedule.ts'
import type { Mandate } from '../actor.ts'
import { addEventRoutes } from '../events/event.routes.ts'
import { addJobRoutes } from '../jobs/job.routes.ts'
import { hasJobs, openJobAdmin, runJobs } from '../jobs/platform-jobs.ts'
import type { Platform } from '../platform.ts'
import { openRevocations, type Revocations } from '../revocation/revocations.ts'
import { runsSessions } from '../roles.ts'
import type { Service } from '../service.ts'
import { StartupError } from '../startup-error.ts'
import { isTracing } from '../tracing/start-tracing.ts'
import { traceRequests } from '../tracing/trace-requests.ts'
import {
  createTokenVerifier,
  unlessRevoked,
  type AccessToken,
  type KeyVerifier,
  type MandateFinder,
  type TokenVerifier,
} from './access.ts'
import type { Api } from './add-call.ts'
import { changeLimit, type CountChange } from './change-limit.ts'
import { installErrorHandler, sendProblem, toProblemError } from './error-handler.ts'
import { installFormBody } from './form-body.ts'
import { installJsonBody } from './json-body.ts'
import { installHostCheck } from './host-check.ts'
import { installHealth } from './health.ts'
import { logSettings } from './log.ts'
import { installMetrics } from './metrics.ts'
import { installOpenApi } from './openapi.ts'
import { remoteKeys, singleKey } from './remote-keys.ts'
import { closeQueuedAnswers } from './queued-answers.ts'
import { securityCounter, type SecurityCounter } from './security-counter.ts'
import { uploadSlots, type HoldUploadSlot } from './upload-slots.ts'
import { limitSlowSenders } from './slow-senders.ts'
import { addUserInfo } from './user-info.ts'
import { serializerFor, validatorFor } from './validator.ts'

declare module 'fastify' {
  interface FastifyInstance {
    verifyAccessToken: TokenVerifier
    /** For calls that read the session themselves. */
    verifySignature: TokenVerifier
    revocations: Revocations
    /** Milliseconds since the epoch, by the clock that all processes share. */
    now: () => number
    /** Null outside a service with API keys. */
    verifyKey: KeyVerifier | null
    /** Null outside a service with grants. */
    findMandate: MandateFinder | null
    countChange: CountChange
    /** Called after each successful change by an account, and awaited before the answer. */
    wrote: (accountId: string) => Promise<void>
    securityCounter: SecurityCounter
    holdUploadSlot: HoldUploadSlot
    /** Null outside a service. */
    api: Api | null
    /** Of every service by name, including those that run elsewhere. */
    apiVersions: Readonly<Record<string, string>>
  }
  interface FastifyRequest {
    /** Null in a public call. */
    accessToken: AccessToken | null
    /** Undefined for an admin everywhere, and in a call that needs no right. */
    mandate: Mandate | undefined
  }
}

// The largest JSON body is a version's two translations: at most 9 kB, doubled by escapes.
const jsonBodyBytes = 128 * 1024

// A package of 20 MB arrives in this time at 35 kB/s; a slower request is ended.
const requestMs = 10 * 60_000
// An idle connection, such as a download that nobody reads.
const idleMs = 2 * 60_000

/** Builds the server of the given services; the caller calls `listen` or `inject`. */
export async function buildApp(
  platform: Platform,
  services: readonly Service[],
): Promise<FastifyInstance> {
  const app = Fastify({
    // Raised before routing, where the error handler below does not run.
    frameworkErrors: (error, request, reply) => {
      addSafetyHeaders(request, reply, platform.config)
      return sendProblem(toProblemError(error, {}), request, reply)
    },
    bodyLimit: jsonBodyBytes,
    // As many hops as there are proxies: each adds an address to X-Forwarded-For; earlier ones can be
    // forged.
    trustProxy: platform.config.trustsProxy && ((_address, hop) => hop < platform.config.proxies),
    // Requests that arrive while sessions and jobs end, before connections are refused, are answered.
    return503OnClosing: false,
    requestTimeout: requestMs,
    connectionTimeout: idleMs,
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 200 },
    ...logSettings(platform.config.logLevel),
  })
  app.setValidatorCompiler(({ schema, httpPart }) => validatorFor(schema, httpPart))
  app.setSerializerCompiler(({ schema }) => serializerFor(schema))
  if (isTracing(platform.env)) traceRequests(app, platform.config)
  app.decorateRequest('accessToken', null)
  app.decorateRequest('mandate')
  app.decorate('api', null)
  app.decorate('verifyKey', null)
  app.decorate('findMandate', null)
  app.decorate('apiVersions', platform.apiVersions)
  const revocations = await openRevocations(platform.database)
  app.addHook('onClose', async () => revocations.close())
  const verifySignature = await tokenVerifier(platform, services)
  app.decorate('revocations', revocations)
  app.decorate('now', platform.now)
  app.decorate('verifySignature', verifySignature)
  app.decorate('verifyAccessToken', unlessRevoked(verifySignature, revocations))
  app.decorate('securityCounter', openSecurityCounter(app, platform, services))
  // The change is made: failing to record it must not fail the answer.
  app.decorate('wrote', async (accountId) => platform.replica?.wrote(accountId).catch(() => {}))
  app.decorate('countChange', changeLimit(platform.config.changesPerMinute, platform.now))
  app.decorate('holdUploadSlot', uploadSlots(platform.config.uploads))
  app.addHook('onSend', async (request, reply) => addSafetyHeaders(request, reply, platform.config))
  installHostCheck(app, platform.config)
  limitSlowSenders(app, platform.config)
  closeQueuedAnswers(app.server)
  const { roles } = platform.config
  const isWeb = roles.includes('web')
  installErrorHandler(
    app,
    Object.assign({}, ...services.map((service) => service.constraints)),
    isWeb ? '' : ` This process serves no calls (GROVE_ROLES is ${roles.join(',')}).`,
  )
  // JSON, multipart and the forms of calls that accept them: a plain-text body is an error.
  app.removeContentTypeParser('text/plain')
  installJsonBody(app)
  installFormBody(app)
  await app.register(multipart)
  if (platform.config.allowedOrigins.length > 0)
    await app.register(cors, {
      origin: [...platform.config.allowedOrigins],
      methods: ['GET', 'POST', 'PUT', 'DELETE'],
      allowedHeaders: ['authorization', 'content-type', 'api-version', 'if-match', stageHeader],
      exposedHeaders: ['date', 'retry-after', 'content-disposition', 'platform'],
      // Tokens travel in a header, so no cookie needs to cross origins.
      credentials: false,
      maxAge: 7200,
    })
  if (isWeb) await installOpenApi(app, platform)
  installHealth(app, platform)
  if (isWeb) installBackup(app, platform)
  installMetrics(
    app,
    platform,
    services.filter(hasJobs).map(({ name }) => name),
  )
  if (isWeb) addUserInfo(app)
  for (const service of services)
    await app.register(async (scope) => {
      const { name, apiVersion, role } = service
      if (runsSessions(roles)) await service.work(scope, platform)
      if (!roles.includes(role)) return
      scope.api = apiVersion === undefined ? null : { name, version: apiVersion }
      await service.register(scope, platform)
      if (hasJobs(service)) addJobRoutes(scope, openJobAdmin(platform, service))
      if (service.events) addEventRoutes(scope, { ...platform, events: service.events })
    })
  if (roles.includes('runner')) {
    await runJobs(app, platform, services)
    makeBackups(app, platform)
  }
  return app
}

function makeBackups(app: FastifyInstance, platform: Platform): void {
  const { backups } = platform.config
  if (backups === undefined) return
  const schedule = scheduleBackups(platform, backups, app.log)
  app.addHook('onClose', () => schedule.close())
}

function openSecurityCounter(
  app: FastifyInstance,
  { db }: Platform,
  services: readonly Service[],
): SecurityCounter {
  const counter = securityCounter({
    db,
    events: services.flatMap(({ events }) => events ?? []),
    warn: (fields, message) => app.log.warn(fields, message),
  })
  app.addHook('onClose', async () => {
    counter.stop()
    await counter.flush().catch(() => {})
  })
  return counter
}

const hstsSeconds = 365 * 86_400

function addSafetyHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  { publicUrl }: Platform['config'],
): void {
  // Of this name only: subdomains are not Grove's to decide.
  if (publicUrl?.startsWith('https:'))
    reply.header('strict-transport-security', `max-age=${hstsSeconds}`)
  reply.header('x-request-id', request.id)
  // The console reads other services' answers with more care (docs/decisions/0067).
  reply.header('platform', 'grove')
  reply.header('x-content-type-options', 'nosniff')
  reply.header('referrer-policy', 'no-referrer')
}

async function tokenVerifier(
  platform: Platform,
  services: readonly Service[],
): Promise<TokenVerifier> {
  const { tokens: rules, realm } = platform.config
  const { jwksUrl, publicKey } = rules
  const local = services.find((service) => service.keySource !== undefined)
  const elsewhere = () =>
    publicKey === undefined ? jwksUrl && remoteKeys(jwksUrl) : singleKey(publicKey)
  const keys = local?.keySource ? await local.keySource(platform) : elsewhere()
  if (!keys) throw new StartupError('Set GROVE_AUTH_JWKS_URL: no authentication service runs here.')
  return createTokenVerifier({ keys, rules, realm, now: platform.now })
}
