import { deviceBulkCalls } from '@grove/contract/maple/fleet/device-bulk'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import {
  continueBulk,
  countFilter,
  createBulk,
  exportResults,
  listBulks,
  previewBulkRevert,
  readBulk,
  revertBulk,
  type BulkContext,
} from './device-bulk.service.ts'

export function registerDeviceBulk(app: FastifyInstance, context: BulkContext): void {
  addCall(app, deviceBulkCalls, 'GET /api/maple/device/bulk/count', ({ actor, query }) =>
    countFilter(context, actor, query),
  )

  addCall(app, deviceBulkCalls, 'GET /api/maple/device/bulk', ({ actor, query }) =>
    listBulks(context, actor, query),
  )

  addCall(app, deviceBulkCalls, 'POST /api/maple/device/bulk', ({ actor, body }) =>
    createBulk(context, actor, body),
  )

  addCall(app, deviceBulkCalls, 'GET /api/maple/device/bulk/{id}', ({ actor, params }) =>
    readBulk(context, actor, params),
  )

  addCall(app, deviceBulkCalls, 'POST /api/maple/device/bulk/{id}/continue', ({ actor, params }) =>
    continueBulk(context, actor, params),
  )

  addCall(app, deviceBulkCalls, 'GET /api/maple/device/bulk/{id}/revert', ({ actor, params }) =>
    previewBulkRevert(context, actor, params),
  )

  addCall(
    app,
    deviceBulkCalls,
    'POST /api/maple/device/bulk/{id}/revert',
    ({ actor, params, body }) => revertBulk(context, actor, { ...params, ...body }),
  )

  addCall(
    app,
    deviceBulkCalls,
    'GET /api/maple/device/bulk/{id}/csv',
    async ({ actor, params, reply }) =>
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="devices.csv"')
        .send(Readable.from(await exportResults(context, actor, params))),
  )
}
