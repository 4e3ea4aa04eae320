import { deviceTwinCalls } from '@grove/contract/maple/connect/device-twin'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { ConnectContext } from '../context.ts'
import { changeDesired, readTwin } from './device-twin.service.ts'

export function registerDeviceTwin(app: FastifyInstance, context: ConnectContext): void {
  addCall(app, deviceTwinCalls, 'GET /api/maple/device/twin', ({ actor, query }) =>
    readTwin(context, actor, query),
  )
  addCall(app, deviceTwinCalls, 'PUT /api/maple/device/twin', ({ actor, query, body }) =>
    changeDesired(context, actor, { ...query, ...body }),
  )
}
