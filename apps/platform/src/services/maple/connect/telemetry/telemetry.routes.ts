import { telemetryCalls } from '@grove/contract/maple/connect/telemetry'
import type { FastifyInstance } from 'fastify'
import { readStale, staleContext } from '../../../../core/database/replica.ts'
import { addCall } from '../../../../core/http/add-call.ts'
import type { ConnectContext } from '../context.ts'
import { exportTelemetry, listKeys, readTelemetry } from './telemetry.service.ts'

/** Shorter ranges are updated as they grow. */
const isLong = ({ from, to }: { from: string; to: string }) =>
  Date.parse(to) - Date.parse(from) > 86_400_000

export function registerTelemetry(app: FastifyInstance, context: ConnectContext): void {
  addCall(app, telemetryCalls, 'GET /api/maple/device/telemetry/key', ({ actor, query }) =>
    listKeys(context, actor, query),
  )
  addCall(app, telemetryCalls, 'GET /api/maple/device/telemetry', ({ actor, query }) =>
    isLong(query)
      ? readStale(context, actor, (from) => readTelemetry(from, actor, query))
      : readTelemetry(context, actor, query),
  )
  addCall(
    app,
    telemetryCalls,
    'GET /api/maple/device/telemetry/export',
    async ({ actor, query, reply }) => {
      const { name, body } = await exportTelemetry(
        await staleContext(context, actor.id),
        actor,
        query,
      )
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="${name}"`)
        .send(body)
    },
  )
}
