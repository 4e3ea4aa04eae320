import { activityCalls } from '@grove/contract/cedar/activity'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { readStale, staleContext } from '../../../core/database/replica.ts'
import { addCall } from '../../../core/http/add-call.ts'
import type { CedarContext } from '../context.ts'
import { exportActivity, listActivity } from './activity.service.ts'

export function activityRoutes(app: FastifyInstance, context: CedarContext): void {
  addCall(app, activityCalls, 'GET /api/developer/activity', ({ actor, query }) =>
    readStale(context, actor, (from) => listActivity(from, actor, query)),
  )

  addCall(app, activityCalls, 'GET /api/developer/activity/csv', async ({ actor, query, reply }) =>
    reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="activity.csv"')
      .send(
        Readable.from(await exportActivity(await staleContext(context, actor.id), actor, query)),
      ),
  )
}
