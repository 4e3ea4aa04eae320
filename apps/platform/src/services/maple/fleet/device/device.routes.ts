import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { MapleContext } from '../../base/context.ts'
import { listDevices, listLabels } from './device-list.service.ts'
import {
  createDevice,
  detachElement,
  retireDevice,
  unlinkWearable,
  updateDevice,
} from './device.service.ts'

export function registerDevice(app: FastifyInstance, context: MapleContext): void {
  addCall(app, 'GET /api/maple/device', ({ actor, query }) => listDevices(context, actor, query))

  addCall(app, 'GET /api/maple/device/label', ({ actor, query }) =>
    listLabels(context, actor, query),
  )

  addCall(app, 'POST /api/maple/device', ({ actor, body }) => createDevice(context, actor, body))

  addCall(app, 'PUT /api/maple/device', ({ actor, query: { id }, revision, body }) =>
    updateDevice(context, actor, { id, revision, change: body }),
  )

  addCall(app, 'POST /api/admin/wearable/unlink', ({ actor, body }) =>
    unlinkWearable(context, actor, body),
  )

  addCall(app, 'DELETE /api/maple/device', async ({ actor, query: { id, cplc }, revision }) => {
    if (cplc === undefined) await retireDevice(context, actor, { id, revision })
    else await detachElement(context, actor, { id, revision, cplc })
    return null
  })
}
