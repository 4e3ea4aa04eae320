import { deviceSessionCalls } from '@grove/contract/maple/connect/device-session'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { ConnectContext } from '../context.ts'
import { streamDeviceSession } from './device-session-stream.ts'
import {
  exportDeviceSession,
  listDeviceSessions,
  listMessages,
  readDeviceSession,
} from './device-session.service.ts'

export function registerDeviceSession(app: FastifyInstance, context: ConnectContext): void {
  addCall(app, deviceSessionCalls, 'GET /api/maple/sessions/device', ({ actor, query }) =>
    listDeviceSessions(context, actor, query),
  )
  addCall(app, deviceSessionCalls, 'GET /api/maple/sessions/device/{id}', ({ actor, params }) =>
    readDeviceSession(context, actor, params),
  )
  addCall(
    app,
    deviceSessionCalls,
    'GET /api/maple/sessions/device/{id}/message',
    ({ actor, params, query }) => listMessages(context, actor, { ...params, query }),
  )
  addCall(app, deviceSessionCalls, 'GET /api/maple/sessions/device/{id}/stream', async (input) => {
    const { actor, params, query, request, reply } = input
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    const resumed = Number(request.headers['last-event-id'] ?? Number.NaN)
    const events = await streamDeviceSession(context, actor, {
      ...params,
      after: Number.isSafeInteger(resumed) && resumed >= 0 ? resumed : (query.after ?? 0),
      waiting: query.waiting,
      until: request.accessToken?.expiresAt ?? 0,
      signal: gone.signal,
    })
    return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(events)
  })
  addCall(app, deviceSessionCalls, 'GET /api/maple/sessions/device/{id}/export', async (input) => {
    const { actor, params, query, reply } = input
    const { name, type, body } = await exportDeviceSession(context, actor, { ...params, ...query })
    return reply
      .type(type)
      .header('content-disposition', `attachment; filename="${name}"`)
      .send(body)
  })
}
