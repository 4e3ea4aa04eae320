import { pushDeviceCalls } from '@grove/contract/cedar/push-device'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { CedarContext } from '../context.ts'
import { networkLimit } from './network-limit.ts'
import { listDevices, markDevice, registerDevice, unregisterDevice } from './push-device.service.ts'

/** Registrations per network and minute. */
const perMinute = 600

export function pushDeviceRoutes(app: FastifyInstance, context: CedarContext): void {
  const limit = networkLimit(perMinute, context.now)

  addCall(app, pushDeviceCalls, 'POST /api/notification/device', ({ actor, body }) => {
    limit(actor.origin.ip)
    return registerDevice(context, actor, body)
  })

  addCall(app, pushDeviceCalls, 'DELETE /api/notification/device', async ({ actor, query }) => {
    limit(actor.origin.ip)
    await unregisterDevice(context, actor, query)
    return null
  })

  addCall(app, pushDeviceCalls, 'GET /api/notification/device', ({ actor, query }) =>
    listDevices(context, actor, query),
  )

  addCall(
    app,
    pushDeviceCalls,
    'PUT /api/notification/device/{id}',
    ({ actor, params: { id }, body }) => markDevice(context, actor, { id, ...body }),
  )
}
