import { sessionCalls } from '@grove/contract/maple/card/session'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { SessionContext } from '../context.ts'
import { streamSession } from './exchange-stream.ts'
import { runQueuedCommands } from './run-queued.ts'
import { exportSession } from './session-export.ts'
import { sessionTrace } from './session-trace.ts'
import { replaySession } from './session-replay.ts'
import {
  createSession,
  endSession,
  listExchanges,
  listSessions,
  readSession,
  sendCommand,
  takeOverSession,
} from './session.service.ts'

export function registerSession(app: FastifyInstance, context: SessionContext): void {
  addCall(app, sessionCalls, 'GET /api/maple/sessions/se', ({ actor, query }) =>
    listSessions(context, actor, query),
  )
  addCall(app, sessionCalls, 'POST /api/maple/sessions/se', ({ actor, body }) =>
    createSession(context, actor, body),
  )
  addCall(app, sessionCalls, 'GET /api/maple/sessions/se/{id}', ({ actor, params }) =>
    readSession(context, actor, params),
  )
  addCall(
    app,
    sessionCalls,
    'POST /api/maple/sessions/se/{id}/channel',
    ({ actor, params, body }) => {
      const { id: commandId, level, keyVersion, credential, logicalChannel } = body
      const input = { type: 'channel', level, keyVersion, credential, logicalChannel } as const
      return sendCommand(context, actor, { ...params, commandId, input })
    },
  )
  addCall(
    app,
    sessionCalls,
    'POST /api/maple/sessions/se/{id}/command',
    ({ actor, params, body }) => {
      const { id: commandId, kind, values = {}, logicalChannel } = body
      return sendCommand(context, actor, {
        ...params,
        commandId,
        input: { type: 'kind', kind, values, logicalChannel },
      })
    },
  )
  addCall(app, sessionCalls, 'POST /api/maple/sessions/se/{id}/raw', ({ actor, params, body }) => {
    const { id: commandId, command, isPlain = false, isSecret = false } = body
    const input = { type: 'raw', command, isPlain, isSecret } as const
    return sendCommand(context, actor, { ...params, commandId, input })
  })
  addCall(app, sessionCalls, 'POST /api/maple/sessions/se/{id}/takeOver', ({ actor, params }) =>
    takeOverSession(context, actor, params),
  )
  addCall(app, sessionCalls, 'POST /api/maple/sessions/se/{id}/end', ({ actor, params }) =>
    endSession(context, actor, params),
  )
  addCall(
    app,
    sessionCalls,
    'GET /api/maple/sessions/se/{id}/exchange',
    ({ actor, params, query }) => listExchanges(context, actor, { ...params, query }),
  )
  addCall(app, sessionCalls, 'GET /api/maple/sessions/se/{id}/stream', async (input) => {
    const { actor, params, query, request, reply } = input
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    const resumed = Number(request.headers['last-event-id'] ?? Number.NaN)
    const events = await streamSession(context, actor, {
      ...params,
      after: Number.isSafeInteger(resumed) && resumed >= 0 ? resumed : (query.after ?? 0),
      until: request.accessToken?.expiresAt ?? 0,
      signal: gone.signal,
    })
    return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(events)
  })
  addCall(app, sessionCalls, 'GET /api/maple/sessions/se/{id}/export', async (input) => {
    const { actor, params, query, reply } = input
    const { name, type, body } = await exportSession(context, actor, { ...params, ...query })
    return reply
      .type(type)
      .header('content-disposition', `attachment; filename="${name}"`)
      .send(body)
  })
  addCall(app, sessionCalls, 'GET /api/maple/sessions/se/{id}/pcap', async (input) => {
    const { actor, params, query, reply } = input
    const { name, type, body } = await sessionTrace(context, actor, { ...params, ...query })
    return reply
      .type(type)
      .header('content-disposition', `attachment; filename="${name}"`)
      .send(body)
  })
  addCall(app, sessionCalls, 'POST /api/maple/sessions/se/{id}/replay', ({ actor, params, body }) =>
    replaySession(context, actor, { ...params, ...body }),
  )
}

/** Starts what calls and jobs need to open sessions. */
export function startSessions(app: FastifyInstance, context: SessionContext): void {
  runQueuedCommands(context)
  context.sessions.start((fields, message) => app.log.warn(fields, message))
  app.addHook('preClose', () => context.sessions.close())
}
