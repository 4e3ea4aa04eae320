import { elementExportCalls } from '@grove/contract/maple/fleet/element-export'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { FleetContext } from '../context.ts'
import { openElementExport, prepareElementExport } from './element-export.service.ts'

export function registerElementExport(app: FastifyInstance, context: FleetContext): void {
  addCall(app, elementExportCalls, 'POST /api/maple/se/element/export', ({ actor, body }) =>
    prepareElementExport(context, actor, body),
  )
  addCall(app, elementExportCalls, 'GET /api/maple/se/element/export', ({ query, reply }) => {
    const { fileName, mediaType, stream } = openElementExport(context, query.ticket)
    return reply
      .type(mediaType)
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .send(stream)
  })
}
