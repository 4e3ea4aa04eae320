import { cloudHandlerCalls } from '@grove/contract/maple/program/cloud-handler'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { Platform } from '../../../../core/platform.ts'
import type { KeyContext } from '../../card/key/key-provider.ts'
import {
  createHandler,
  deployHandler,
  listHandlers,
  listVersions,
  readHandler,
  readVersion,
  removeHandler,
  updateHandler,
} from './cloud-handler.service.ts'
import { listRuns, readRun, resendRuns, testHandler } from './handler-run.service.ts'
import { handlerSecrets, makeHookSecret } from './handler-secret.service.ts'
import type { HandlerContext } from '../context.ts'
import type { HandlerRunner } from './handler-runner.ts'
import { registerHook } from './hook.routes.ts'
import { streamRun, streamRuns } from './run-stream.ts'

export function registerCloudHandler(
  app: FastifyInstance,
  context: KeyContext & { handlers: HandlerRunner },
): void {
  addCall(app, cloudHandlerCalls, 'GET /api/maple/cloud_handlers', ({ actor, query }) =>
    listHandlers(context, actor, query),
  )
  addCall(app, cloudHandlerCalls, 'POST /api/maple/cloud_handlers', ({ actor, body }) =>
    createHandler(context, actor, body),
  )
  addCall(app, cloudHandlerCalls, 'GET /api/maple/cloud_handlers/{id}', ({ actor, params }) =>
    readHandler(context, actor, params),
  )
  addCall(
    app,
    cloudHandlerCalls,
    'PUT /api/maple/cloud_handlers/{id}',
    ({ actor, params, revision, body }) =>
      updateHandler(context, actor, { ...params, revision, change: body }),
  )
  addCall(
    app,
    cloudHandlerCalls,
    'DELETE /api/maple/cloud_handlers/{id}',
    ({ actor, params, revision }) => removeHandler(context, actor, { ...params, revision }),
  )
  addCall(
    app,
    cloudHandlerCalls,
    'GET /api/maple/cloud_handlers/{id}/version',
    ({ actor, params }) => listVersions(context, actor, params),
  )
  addCall(
    app,
    cloudHandlerCalls,
    'GET /api/maple/cloud_handlers/{id}/version/{version}',
    ({ actor, params }) => readVersion(context, actor, params),
  )
  addCall(
    app,
    cloudHandlerCalls,
    'POST /api/maple/cloud_handlers/{id}/deploy',
    ({ actor, params, revision, body }) =>
      deployHandler(context, actor, { ...params, revision, ...body }),
  )
  addCall(
    app,
    cloudHandlerCalls,
    'GET /api/maple/cloud_handlers/{id}/secret',
    ({ actor, params }) => handlerSecrets.list(context, actor, params),
  )
  addCall(
    app,
    cloudHandlerCalls,
    'PUT /api/maple/cloud_handlers/{id}/secret',
    ({ actor, params, body }) => handlerSecrets.set(context, actor, { ...params, ...body }),
  )
  addCall(
    app,
    cloudHandlerCalls,
    'DELETE /api/maple/cloud_handlers/{id}/secret',
    ({ actor, params, query }) => handlerSecrets.remove(context, actor, { ...params, ...query }),
  )
  addCall(
    app,
    cloudHandlerCalls,
    'POST /api/maple/cloud_handlers/{id}/hookSecret',
    ({ actor, params }) => makeHookSecret(context, actor, params),
  )
  addCall(
    app,
    cloudHandlerCalls,
    'POST /api/maple/cloud_handlers/{id}/test',
    ({ actor, params, body }) => testHandler(context, actor, { ...params, ...body }),
  )
  addCall(
    app,
    cloudHandlerCalls,
    'GET /api/maple/cloud_handlers/{id}/run',
    ({ actor, params, query }) => listRuns(context, actor, { ...params, query }),
  )
  addCall(
    app,
    cloudHandlerCalls,
    'GET /api/maple/cloud_handlers/{id}/run/{runId}',
    ({ actor, params }) => readRun(context, actor, params),
  )
  addCall(
    app,
    cloudHandlerCalls,
    'GET /api/maple/cloud_handlers/{id}/run/{runId}/stream',
    async (input) => {
      const { actor, params, query, request, reply } = input
      const resumed = Number(request.headers['last-event-id'] ?? Number.NaN)
      const after = Number.isSafeInteger(resumed) && resumed >= 0 ? resumed : (query.after ?? 0)
      const events = await streamRun(context, actor, { ...params, after, ...watcherOf(input) })
      return sendEvents(reply, events)
    },
  )
  addCall(app, cloudHandlerCalls, 'GET /api/maple/cloud_handlers/{id}/stream', async (input) => {
    const { actor, params, reply } = input
    return sendEvents(reply, await streamRuns(context, actor, { ...params, ...watcherOf(input) }))
  })
  addCall(
    app,
    cloudHandlerCalls,
    'POST /api/maple/cloud_handlers/{id}/resend',
    ({ actor, params, body }) => resendRuns(context, actor, { ...params, ...body }),
  )
  registerHook(app, context)
}

/** Runs handlers in processes that run jobs; others only watch them. */
export function startHandlers(
  app: FastifyInstance,
  { config, handlers }: HandlerContext & Pick<Platform, 'config'>,
): void {
  if (config.roles.includes('runner'))
    handlers.start((fields, message) => app.log.warn(fields, message))
  app.addHook('preClose', () => handlers.close())
}

/** How long a stream may last, and whether its client has disconnected. */
function watcherOf({ request, reply }: { request: FastifyRequest; reply: FastifyReply }) {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return { until: request.accessToken?.expiresAt ?? 0, signal: gone.signal }
}

const sendEvents = (reply: FastifyReply, events: Readable) =>
  reply.type('text/event-stream').header('x-accel-buffering', 'no').send(events)
