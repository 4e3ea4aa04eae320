import { accountBulkCalls } from '@grove/contract/maple/access/account-bulk'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import {
  cancelAccountBulk,
  createAccountBulk,
  exportAccountResults,
  readAccountBulk,
  type AccountBulkContext,
} from './account-bulk.service.ts'

export function registerAccountBulk(app: FastifyInstance, context: AccountBulkContext): void {
  addCall(app, accountBulkCalls, 'POST /api/maple/account/bulk', ({ actor, body }) =>
    createAccountBulk(context, actor, body),
  )

  addCall(app, accountBulkCalls, 'GET /api/maple/account/bulk/{id}', ({ actor, params }) =>
    readAccountBulk(context, actor, params),
  )

  addCall(app, accountBulkCalls, 'POST /api/maple/account/bulk/{id}/cancel', ({ actor, params }) =>
    cancelAccountBulk(context, actor, params),
  )

  addCall(
    app,
    accountBulkCalls,
    'GET /api/maple/account/bulk/{id}/csv',
    async ({ actor, params, reply }) =>
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="accounts.csv"')
        .send(await exportAccountResults(context, actor, params)),
  )
}
