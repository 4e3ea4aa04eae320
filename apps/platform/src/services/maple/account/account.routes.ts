import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { MapleContext } from '../context.ts'
import { accountService as accounts } from './account.service.ts'

export function registerAccount(app: FastifyInstance, context: MapleContext): void {
  addCall(app, 'GET /api/maple/account', ({ actor, query }) => accounts.list(context, actor, query))

  addCall(app, 'POST /api/maple/account', ({ actor, body }) =>
    accounts.create(context, actor, body),
  )

  addCall(app, 'PUT /api/maple/account', ({ actor, query: { id }, revision, body }) =>
    accounts.update(context, actor, { id, revision, change: body }),
  )

  addCall(app, 'DELETE /api/maple/account', ({ actor, query: { id }, revision }) =>
    accounts.remove(context, actor, { id, revision }),
  )
}
