import { deviceImportCalls } from '@grove/contract/maple/fleet/device-import'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { FleetContext } from '../context.ts'
import {
  cancelImport,
  checkImport,
  createImport,
  listErrors,
  listImports,
  openErrorFile,
  openFailedRows,
  previewImport,
  previewImportRevert,
  revertImport,
  startImport,
} from './device-import.service.ts'

export function registerDeviceImport(app: FastifyInstance, context: FleetContext): void {
  addCall(app, deviceImportCalls, 'GET /api/maple/device/import', ({ actor, query }) =>
    listImports(context, actor, query),
  )
  addCall(app, deviceImportCalls, 'POST /api/maple/device/import', async ({ actor, upload }) =>
    createImport(context, actor, { file: await upload(context.settings.importBytes) }),
  )
  addCall(app, deviceImportCalls, 'POST /api/maple/device/import/preview', ({ actor, body }) =>
    previewImport(context, actor, body),
  )
  addCall(app, deviceImportCalls, 'POST /api/maple/device/import/check', ({ actor, body }) =>
    checkImport(context, actor, body),
  )
  addCall(app, deviceImportCalls, 'POST /api/maple/device/import/start', ({ actor, body }) =>
    startImport(context, actor, body),
  )
  addCall(app, deviceImportCalls, 'POST /api/maple/device/import/cancel', ({ actor, body }) =>
    cancelImport(context, actor, body),
  )
  addCall(app, deviceImportCalls, 'GET /api/maple/device/import/revert', ({ actor, query }) =>
    previewImportRevert(context, actor, query),
  )
  addCall(app, deviceImportCalls, 'POST /api/maple/device/import/revert', ({ actor, body }) =>
    revertImport(context, actor, body),
  )
  addCall(app, deviceImportCalls, 'GET /api/maple/device/import/error', ({ actor, query }) =>
    listErrors(context, actor, query),
  )
  addCall(
    app,
    deviceImportCalls,
    'GET /api/maple/device/import/row/file',
    async ({ actor, query, reply }) => {
      const { stream, format } = await openFailedRows(context, actor, query)
      return reply
        .type(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson')
        .header('content-disposition', `attachment; filename="failed-rows-${query.id}.${format}"`)
        .send(stream)
    },
  )
  addCall(
    app,
    deviceImportCalls,
    'GET /api/maple/device/import/error/file',
    async ({ actor, query, reply }) =>
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="errors-${query.id}.csv"`)
        .send(await openErrorFile(context, actor, query)),
  )
}
