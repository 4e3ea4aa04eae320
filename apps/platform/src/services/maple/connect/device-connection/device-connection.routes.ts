import { deviceConnectionCalls } from '@grove/contract/maple/connect/device-connection'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { ConnectContext } from '../context.ts'
import { readConnection } from './device-connection.service.ts'

export function registerDeviceConnection(app: FastifyInstance, context: ConnectContext): void {
  addCall(app, deviceConnectionCalls, 'GET /api/maple/device/connection', ({ actor, query }) =>
    readConnection(context, actor, query),
  )
}
