import { deviceConnectionCalls } from '@grove/contract/maple/connect/device-connection'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { ConnectContext } from '../context.ts'
import { createCredential, readCredentials, revokeCredential } from './device-credential.service.ts'

export function registerDeviceCredential(app: FastifyInstance, context: ConnectContext): void {
  addCall(app, deviceConnectionCalls, 'GET /api/maple/device/credential', ({ actor, query }) =>
    readCredentials(context, actor, query),
  )
  addCall(app, deviceConnectionCalls, 'POST /api/maple/device/credential', ({ actor, body }) =>
    createCredential(context, actor, body),
  )
  addCall(app, deviceConnectionCalls, 'DELETE /api/maple/device/credential', ({ actor, query }) =>
    revokeCredential(context, actor, query),
  )
}
