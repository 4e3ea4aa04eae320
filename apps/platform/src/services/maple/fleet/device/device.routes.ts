import { providerAdminCalls } from '@grove/contract/cedar/provider-admin'
import { deviceCalls } from '@grove/contract/maple/fleet/device'
import type { FastifyInstance } from 'fastify'
import { readStale } from '../../../../core/database/replica.ts'
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
  addCall(app, deviceCalls, 'GET /api/maple/device', ({ actor, query }) =>
    readStale(context, actor, (from) => listDevices(from, actor, query)),
  )

  addCall(app, deviceCalls, 'GET /api/maple/device/label', ({ actor, query }) =>
    readStale(context, actor, (from) => listLabels(from, actor, query)),
  )

  addCall(app, deviceCalls, 'POST /api/maple/device', ({ actor, body }) =>
    createDevice(context, actor, body),
  )

  addCall(app, deviceCalls, 'PUT /api/maple/device', ({ actor, query: { id }, revision, body }) =>
    updateDevice(context, actor, { id, revision, change: body }),
  )

  addCall(app, providerAdminCalls, 'POST /api/admin/wearable/unlink', ({ actor, body }) =>
    unlinkWearable(context, actor, body),
  )

  addCall(
    app,
    deviceCalls,
    'DELETE /api/maple/device',
    async ({ actor, query: { id, cplc }, revision }) => {
      if (cplc === undefined) await retireDevice(context, actor, { id, revision })
      else await detachElement(context, actor, { id, revision, cplc })
      return null
    },
  )
}
