import { telemetryCalls } from '@grove/contract/maple/connect/telemetry'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { ConnectContext } from '../context.ts'
import { exportTelemetry, listKeys, readTelemetry } from './telemetry.service.ts'

export function registerTelemetry(app: FastifyInstance, context: ConnectContext): void {
  addCall(app, telemetryCalls, 'GET /api/maple/device/telemetry/key', ({ actor, query }) =>
    listKeys(context, actor, query),
  )
  addCall(app, telemetryCalls, 'GET /api/maple/device/telemetry', ({ actor, query }) =>
    readTelemetry(context, actor, query),
  )
  addCall(
    app,
    telemetryCalls,
    'GET /api/maple/device/telemetry/export',
    async ({ actor, query, reply }) => {
      const { name, body } = await exportTelemetry(context, actor, query)
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="${name}"`)
        .send(body)
    },
  )
}
