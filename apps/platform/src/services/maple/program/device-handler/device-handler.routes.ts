import { deviceHandlerCalls } from '@grove/contract/maple/program/device-handler'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { ProgramContext } from '../context.ts'
import {
  createHandler,
  listHandlers,
  listVersions,
  publishHandler,
  readHandler,
  readVersion,
  removeHandler,
  rollBackHandler,
  tryCode,
  updateHandler,
} from './device-handler.service.ts'

export function registerDeviceHandler(app: FastifyInstance, context: ProgramContext): void {
  addCall(app, deviceHandlerCalls, 'GET /api/maple/device_handlers', ({ actor, query }) =>
    listHandlers(context, actor, query),
  )
  addCall(app, deviceHandlerCalls, 'POST /api/maple/device_handlers', ({ actor, body }) =>
    createHandler(context, actor, body),
  )
  addCall(app, deviceHandlerCalls, 'POST /api/maple/device_handlers/run', ({ actor, body }) =>
    tryCode(context, actor, body),
  )
  addCall(app, deviceHandlerCalls, 'GET /api/maple/device_handlers/{id}', ({ actor, params }) =>
    readHandler(context, actor, params),
  )
  addCall(
    app,
    deviceHandlerCalls,
    'PUT /api/maple/device_handlers/{id}',
    ({ actor, params, revision, body }) =>
      updateHandler(context, actor, { ...params, revision, change: body }),
  )
  addCall(
    app,
    deviceHandlerCalls,
    'DELETE /api/maple/device_handlers/{id}',
    ({ actor, params, revision }) => removeHandler(context, actor, { ...params, revision }),
  )
  addCall(app, deviceHandlerCalls, 'POST /api/maple/device_handlers/{id}/publish', (call) =>
    publishHandler(context, call.actor, { ...call.params, revision: call.revision, ...call.body }),
  )
  addCall(app, deviceHandlerCalls, 'POST /api/maple/device_handlers/{id}/rollback', (call) =>
    rollBackHandler(context, call.actor, { ...call.params, revision: call.revision, ...call.body }),
  )
  addCall(
    app,
    deviceHandlerCalls,
    'GET /api/maple/device_handlers/{id}/version',
    ({ actor, params, query }) => listVersions(context, actor, { ...params, query }),
  )
  addCall(
    app,
    deviceHandlerCalls,
    'GET /api/maple/device_handlers/{id}/version/{number}',
    ({ actor, params }) => readVersion(context, actor, params),
  )
}
