import { deviceViewCalls } from '@grove/contract/maple/fleet/device-view'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { MapleContext } from '../../base/context.ts'
import { createView, listViews, removeView, updateView } from './device-view.service.ts'

export function registerDeviceView(app: FastifyInstance, context: MapleContext): void {
  addCall(app, deviceViewCalls, 'GET /api/maple/device/view', ({ actor }) =>
    listViews(context, actor),
  )

  addCall(app, deviceViewCalls, 'POST /api/maple/device/view', ({ actor, body }) =>
    createView(context, actor, body),
  )

  addCall(
    app,
    deviceViewCalls,
    'PUT /api/maple/device/view',
    ({ actor, query: { id }, revision, body }) =>
      updateView(context, actor, { id, revision, change: body }),
  )

  addCall(
    app,
    deviceViewCalls,
    'DELETE /api/maple/device/view',
    ({ actor, query: { id }, revision }) => removeView(context, actor, { id, revision }),
  )
}
