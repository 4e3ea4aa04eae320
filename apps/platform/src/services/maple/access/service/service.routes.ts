import { mapleServiceCalls } from '@grove/contract/maple/access/service'
import type { FastifyInstance } from 'fastify'
import { readStale } from '../../../../core/database/replica.ts'
import { addCall } from '../../../../core/http/add-call.ts'
import type { MapleContext } from '../../base/context.ts'
import { create, list, readActivity, readImpact, remove, update } from './service.service.ts'

export function registerService(app: FastifyInstance, context: MapleContext): void {
  addCall(app, mapleServiceCalls, 'GET /api/maple/service', ({ actor, query }) =>
    list(context, actor, query),
  )

  addCall(app, mapleServiceCalls, 'POST /api/maple/service', ({ actor, body }) =>
    create(context, actor, body),
  )

  addCall(
    app,
    mapleServiceCalls,
    'PUT /api/maple/service',
    ({ actor, query: { id }, revision, body }) =>
      update(context, actor, { id, revision, change: body }),
  )

  addCall(
    app,
    mapleServiceCalls,
    'DELETE /api/maple/service',
    ({ actor, query: { id }, revision }) => remove(context, actor, { id, revision }),
  )

  addCall(app, mapleServiceCalls, 'GET /api/maple/service/impact', ({ actor, query }) =>
    readImpact(context, actor, query),
  )

  addCall(app, mapleServiceCalls, 'GET /api/maple/service/activity', ({ actor, query }) =>
    readStale(context, actor, (from) => readActivity(from, actor, query)),
  )
}
