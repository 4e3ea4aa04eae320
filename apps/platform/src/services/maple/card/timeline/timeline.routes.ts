import { timelineCalls } from '@grove/contract/maple/card/timeline'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { MapleContext } from '../../base/context.ts'
import { listTimeline } from './timeline.service.ts'

export function registerTimeline(app: FastifyInstance, context: MapleContext): void {
  addCall(app, timelineCalls, 'GET /api/maple/se/timeline', ({ actor, query }) =>
    listTimeline(context, actor, query),
  )
}
