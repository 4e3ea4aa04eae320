import { apiKeyCalls } from '@grove/contract/cedar/api-key'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { CedarContext } from '../context.ts'
import { createKey, listKeys, revokeKey } from './api-key.service.ts'

export function apiKeyRoutes(app: FastifyInstance, context: CedarContext): void {
  addCall(app, apiKeyCalls, 'GET /api/provider/{id}/key', ({ actor, params }) =>
    listKeys(context, actor, params),
  )

  addCall(app, apiKeyCalls, 'POST /api/provider/{id}/key', ({ actor, params, body }) =>
    createKey(context, actor, { ...params, ...body }),
  )

  addCall(app, apiKeyCalls, 'DELETE /api/provider/{id}/key/{keyId}', ({ actor, params }) =>
    revokeKey(context, actor, params),
  )
}
