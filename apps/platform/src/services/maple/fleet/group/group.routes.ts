import { groupCalls } from '@grove/contract/maple/fleet/group'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { MapleContext } from '../../base/context.ts'
import {
  changeDevices,
  createGroup,
  listGroups,
  removeGroup,
  updateGroup,
} from './group.service.ts'

export function registerGroup(app: FastifyInstance, context: MapleContext): void {
  addCall(app, groupCalls, 'GET /api/maple/group', ({ actor, query }) =>
    listGroups(context, actor, query),
  )

  addCall(app, groupCalls, 'POST /api/maple/group', ({ actor, body }) =>
    createGroup(context, actor, body),
  )

  addCall(app, groupCalls, 'PUT /api/maple/group', ({ actor, query: { id }, revision, body }) =>
    updateGroup(context, actor, { id, revision, change: body }),
  )

  addCall(app, groupCalls, 'DELETE /api/maple/group', ({ actor, query: { id }, revision }) =>
    removeGroup(context, actor, { id, revision }),
  )

  addCall(app, groupCalls, 'POST /api/maple/group/{id}/devices', ({ actor, params, body }) =>
    changeDevices(context, actor, { ...params, ...body }),
  )
}
