import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { MapleContext } from '../../base/context.ts'
import { create, list, readActivity, readImpact, remove, update } from './service.service.ts'

export function registerService(app: FastifyInstance, context: MapleContext): void {
  addCall(app, 'GET /api/maple/service', ({ actor, query }) => list(context, actor, query))

  addCall(app, 'POST /api/maple/service', ({ actor, body }) => create(context, actor, body))

  addCall(app, 'PUT /api/maple/service', ({ actor, query: { id }, revision, body }) =>
    update(context, actor, { id, revision, change: body }),
  )

  addCall(app, 'DELETE /api/maple/service', ({ actor, query: { id }, revision }) =>
    remove(context, actor, { id, revision }),
  )

  addCall(app, 'GET /api/maple/service/impact', ({ actor, query }) =>
    readImpact(context, actor, query),
  )

  addCall(app, 'GET /api/maple/service/activity', ({ actor, query }) =>
    readActivity(context, actor, query),
  )
}
