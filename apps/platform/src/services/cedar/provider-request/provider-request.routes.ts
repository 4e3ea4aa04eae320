import { providerRequestCalls } from '@grove/contract/cedar/provider-request'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { CedarContext } from '../context.ts'
import {
  decideRequest,
  listRequests,
  requestProvider,
  withdrawRequest,
} from './provider-request.service.ts'

export function providerRequestRoutes(app: FastifyInstance, context: CedarContext): void {
  addCall(app, providerRequestCalls, 'GET /api/provider/request', ({ actor, query }) =>
    listRequests(context, actor, query),
  )

  addCall(app, providerRequestCalls, 'POST /api/provider/request', ({ actor, body }) =>
    requestProvider(context, actor, body),
  )

  addCall(
    app,
    providerRequestCalls,
    'PUT /api/provider/request',
    ({ actor, query: { id }, revision, body }) =>
      decideRequest(context, actor, { ...body, id, revision }),
  )

  addCall(
    app,
    providerRequestCalls,
    'DELETE /api/provider/request',
    ({ actor, query: { id }, revision }) => withdrawRequest(context, actor, { id, revision }),
  )
}
