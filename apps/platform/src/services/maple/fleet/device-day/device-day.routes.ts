import { deviceDayCalls } from '@grove/contract/maple/fleet/device-day'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { MapleContext } from '../../base/context.ts'
import { readDeviceDays } from './device-day.service.ts'

export function registerDeviceDay(app: FastifyInstance, context: MapleContext): void {
  addCall(app, deviceDayCalls, 'GET /api/maple/device/state', ({ actor, query }) =>
    readDeviceDays(context, actor, query),
  )
}
