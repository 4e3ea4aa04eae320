import { deviceExportCalls } from '@grove/contract/maple/fleet/device-export'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { FleetContext } from '../context.ts'
import { openExport, prepareExport } from './device-export.service.ts'

export function registerDeviceExport(app: FastifyInstance, context: FleetContext): void {
  addCall(app, deviceExportCalls, 'POST /api/maple/device/export', ({ actor, body }) =>
    prepareExport(context, actor, body),
  )
  addCall(app, deviceExportCalls, 'GET /api/maple/device/export', async ({ query, reply }) => {
    const { fileName, mediaType, stream } = await openExport(context, query.ticket)
    return reply
      .type(mediaType)
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .send(stream)
  })
}
