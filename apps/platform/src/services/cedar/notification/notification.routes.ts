import { notificationCalls } from '@grove/contract/cedar/notification'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { CedarContext } from '../context.ts'
import { networkLimit } from '../push-device/network-limit.ts'
import {
  cancelNotification,
  composeNotification,
  estimateAudience,
  listNotifications,
  readNotification,
  readSystemData,
} from './notification.service.ts'
import { receiptCodes, receiptWriter, reportReceipt } from './receipt.service.ts'
import { exportNotifications, readStatistics } from './report.service.ts'
import { sendTest } from './test-send.service.ts'

/** Receipts per network and minute. */
const reportsPerMinute = 3000

export function notificationRoutes(app: FastifyInstance, context: CedarContext): void {
  addCall(app, notificationCalls, 'GET /api/notification/systemdata', ({ actor }) =>
    readSystemData(context, actor),
  )

  addCall(app, notificationCalls, 'GET /api/notification', ({ actor, query }) =>
    listNotifications(context, actor, query),
  )

  addCall(app, notificationCalls, 'POST /api/notification', ({ actor, body }) =>
    composeNotification(context, actor, body),
  )

  addCall(app, notificationCalls, 'GET /api/notification/{id}', ({ actor, params }) =>
    readNotification(context, actor, params),
  )

  addCall(app, notificationCalls, 'POST /api/notification/{id}/cancel', ({ actor, params }) =>
    cancelNotification(context, actor, params),
  )

  addCall(app, notificationCalls, 'GET /api/notification/audience', ({ actor, query }) =>
    estimateAudience(context, actor, query),
  )

  addCall(app, notificationCalls, 'POST /api/notification/test', ({ actor, body }) =>
    sendTest(context, actor, body),
  )

  addCall(app, notificationCalls, 'GET /api/notification/statistics', ({ actor, query }) =>
    readStatistics(context, actor, query),
  )

  addCall(app, notificationCalls, 'GET /api/notification/csv', async ({ actor, query, reply }) =>
    reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="notifications.csv"')
      .send(Readable.from(await exportNotifications(context, actor, query))),
  )

  const receipts = {
    codes: receiptCodes(context.receiptSecret),
    write: receiptWriter(context),
  }
  const limit = networkLimit(reportsPerMinute, context.now)
  addCall(app, notificationCalls, 'POST /api/notification/receipt', async ({ actor, body }) => {
    limit(actor.origin.ip)
    await reportReceipt(receipts, actor, body)
    return null
  })
}
