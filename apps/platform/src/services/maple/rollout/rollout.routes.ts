import { rolloutCalls } from '@grove/contract/maple/rollout/rollout'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import * as rollouts from './rollout.service.ts'

export function registerRollout(app: FastifyInstance, context: rollouts.RolloutContext): void {
  addCall(app, rolloutCalls, 'GET /api/maple/rollouts', ({ actor, query }) =>
    rollouts.listRollouts(context, actor, query),
  )
  addCall(app, rolloutCalls, 'GET /api/maple/rollouts/count', ({ actor, query }) =>
    rollouts.countDevices(context, actor, query),
  )
  addCall(app, rolloutCalls, 'GET /api/maple/rollouts/policy', ({ actor }) =>
    rollouts.readPolicy(context, actor),
  )
  addCall(app, rolloutCalls, 'PUT /api/maple/rollouts/policy', ({ actor, body }) =>
    rollouts.changePolicy(context, actor, body),
  )
  addCall(app, rolloutCalls, 'GET /api/maple/rollouts/{id}', ({ actor, params }) =>
    rollouts.readRollout(context, actor, params),
  )
  addCall(app, rolloutCalls, 'POST /api/maple/rollouts', ({ actor, body }) =>
    rollouts.createRollout(context, actor, body),
  )
  addCall(
    app,
    rolloutCalls,
    'PUT /api/maple/rollouts',
    ({ actor, query: { id }, revision, body }) =>
      rollouts.updateRollout(context, actor, { id, revision, change: body }),
  )
  addCall(app, rolloutCalls, 'DELETE /api/maple/rollouts', ({ actor, query: { id }, revision }) =>
    rollouts.deleteRollout(context, actor, { id, revision }),
  )
  addCall(app, rolloutCalls, 'POST /api/maple/rollouts/{id}/start', ({ actor, params }) =>
    rollouts.startRollout(context, actor, params),
  )
  addCall(app, rolloutCalls, 'POST /api/maple/rollouts/{id}/pause', ({ actor, params }) =>
    rollouts.pauseRollout(context, actor, params),
  )
  addCall(app, rolloutCalls, 'POST /api/maple/rollouts/{id}/resume', ({ actor, params, body }) =>
    rollouts.resumeRollout(context, actor, { ...params, ...body }),
  )
  addCall(app, rolloutCalls, 'POST /api/maple/rollouts/{id}/next', ({ actor, params }) =>
    rollouts.startNextGroup(context, actor, params),
  )
  addCall(app, rolloutCalls, 'POST /api/maple/rollouts/{id}/stop', ({ actor, params }) =>
    rollouts.stopRollout(context, actor, params),
  )
  addCall(app, rolloutCalls, 'POST /api/maple/rollouts/{id}/rollback', ({ actor, params }) =>
    rollouts.rollBack(context, actor, params),
  )
  addCall(app, rolloutCalls, 'POST /api/maple/rollouts/{id}/retry', ({ actor, params, body }) =>
    rollouts.retryRollout(context, actor, { ...params, ...body }),
  )
  addCall(app, rolloutCalls, 'GET /api/maple/rollouts/{id}/cause', ({ actor, params }) =>
    rollouts.listCauses(context, actor, params),
  )
  addCall(app, rolloutCalls, 'GET /api/maple/rollouts/{id}/execution', ({ actor, params, query }) =>
    rollouts.listExecutions(context, actor, { ...params, ...query }),
  )
}
