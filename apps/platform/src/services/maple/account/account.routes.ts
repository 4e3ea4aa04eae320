import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { MapleContext } from '../context.ts'
import { createAccount, deleteAccount, listAccounts, updateAccount } from './account.service.ts'

export function registerAccount(app: FastifyInstance, context: MapleContext): void {
  addCall(app, 'GET /api/maple/account', ({ actor, query }) => listAccounts(context, actor, query))

  addCall(app, 'POST /api/maple/account', ({ actor, body }) => createAccount(context, actor, body))

  addCall(app, 'PUT /api/maple/account', ({ actor, query: { id }, revision, body }) =>
    updateAccount(context, actor, { id, revision, change: body }),
  )

  addCall(app, 'DELETE /api/maple/account', async ({ actor, query: { id }, revision }) => {
    await deleteAccount(context, actor, { id, revision })
    return null
  })
}
