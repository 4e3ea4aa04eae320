import { appletOperationCalls } from '@grove/contract/maple/card/applet-operation'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { FleetContext } from '../../fleet/context.ts'
import {
  cancelOperation,
  createOperation,
  listOperations,
  listTargets,
  preflight,
  retryOperation,
  type OperationContext,
} from './operation.service.ts'

export function registerAppletOperation(
  app: FastifyInstance,
  context: OperationContext & FleetContext,
): void {
  addCall(
    app,
    appletOperationCalls,
    'POST /api/maple/applets/{id}/preflight',
    ({ actor, params, body }) => preflight(context, actor, { ...params, ...body }),
  )
  addCall(app, appletOperationCalls, 'GET /api/maple/applets/operation', ({ actor, query }) =>
    listOperations(context, actor, query),
  )
  addCall(
    app,
    appletOperationCalls,
    'POST /api/maple/applets/{id}/operation',
    ({ actor, params, body }) => createOperation(context, actor, { ...params, ...body }),
  )
  addCall(
    app,
    appletOperationCalls,
    'GET /api/maple/applets/operation/{id}/target',
    ({ actor, params, query }) => listTargets(context, actor, { ...params, ...query }),
  )
  addCall(
    app,
    appletOperationCalls,
    'POST /api/maple/applets/operation/{id}/cancel',
    ({ actor, params }) => cancelOperation(context, actor, params),
  )
  addCall(
    app,
    appletOperationCalls,
    'POST /api/maple/applets/operation/{id}/retry',
    ({ actor, params }) => retryOperation(context, actor, params),
  )
}
