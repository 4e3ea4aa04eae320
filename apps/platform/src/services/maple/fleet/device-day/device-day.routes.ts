import { deviceDayCalls } from '@grove/contract/maple/fleet/device-day'
import type { FastifyInstance } from 'fastify'
import { readStale } from '../../../../core/database/replica.ts'
import { addCall } from '../../../../core/http/add-call.ts'
import type { MapleContext } from '../../base/context.ts'
import { readDeviceDays } from './device-day.service.ts'

export function registerDeviceDay(app: FastifyInstance, context: MapleContext): void {
  addCall(app, deviceDayCalls, 'GET /api/maple/device/state', ({ actor, query }) =>
    readStale(context, actor, (from) => readDeviceDays(from, actor, query)),
  )
}
