import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { ConnectContext } from '../context.ts'
import { cancelCommand, listCommands, readCommand, sendCommand } from './device-command.service.ts'

export function registerDeviceCommand(app: FastifyInstance, context: ConnectContext): void {
  addCall(app, 'GET /api/maple/device/command', ({ actor, query }) =>
    listCommands(context, actor, query),
  )
  addCall(app, 'POST /api/maple/device/command', ({ actor, body }) =>
    sendCommand(context, actor, body),
  )
  addCall(app, 'GET /api/maple/device/command/{id}', ({ actor, params }) =>
    readCommand(context, actor, params),
  )
  addCall(app, 'POST /api/maple/device/command/{id}/cancel', ({ actor, params }) =>
    cancelCommand(context, actor, params),
  )
  // What other processes tell of devices.
  context.devices.listen()
  app.addHook('preClose', async () => context.devices.close())
}
