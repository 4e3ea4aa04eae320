import { elementExportCalls } from '@grove/contract/maple/fleet/element-export'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { FleetContext } from '../context.ts'
import {
  exportChosenElements,
  openElementExport,
  prepareElementExport,
} from './element-export.service.ts'

export function registerElementExport(app: FastifyInstance, context: FleetContext): void {
  addCall(app, elementExportCalls, 'POST /api/maple/se/element/export', ({ actor, body }) =>
    prepareElementExport(context, actor, body),
  )
  addCall(
    app,
    elementExportCalls,
    'POST /api/maple/se/element/export/chosen',
    async ({ actor, body, reply }) => send(reply, await exportChosenElements(context, actor, body)),
  )
  addCall(app, elementExportCalls, 'GET /api/maple/se/element/export', async ({ query, reply }) =>
    send(reply, await openElementExport(context, query.ticket)),
  )
}

const send = (
  reply: FastifyReply,
  { fileName, mediaType, stream }: Awaited<ReturnType<typeof openElementExport>>,
) =>
  reply
    .type(mediaType)
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .send(stream)
