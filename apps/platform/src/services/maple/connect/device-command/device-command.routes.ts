import { deviceCommandCalls } from '@grove/contract/maple/connect/device-command'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { ConnectContext } from '../context.ts'
import { cancelCommand, listCommands, readCommand, sendCommand } from './device-command.service.ts'

export function registerDeviceCommand(app: FastifyInstance, context: ConnectContext): void {
  addCall(app, deviceCommandCalls, 'GET /api/maple/device/command', ({ actor, query }) =>
    listCommands(context, actor, query),
  )
  addCall(app, deviceCommandCalls, 'POST /api/maple/device/command', ({ actor, body }) =>
    sendCommand(context, actor, body),
  )
  addCall(app, deviceCommandCalls, 'GET /api/maple/device/command/{id}', ({ actor, params }) =>
    readCommand(context, actor, params),
  )
  addCall(
    app,
    deviceCommandCalls,
    'POST /api/maple/device/command/{id}/cancel',
    ({ actor, params }) => cancelCommand(context, actor, params),
  )
}
