import { accountAdminCalls } from '@grove/contract/auth/account-admin'
import type { FastifyInstance } from 'fastify'
import { readStale } from '../../../core/database/replica.ts'
import { addCall } from '../../../core/http/add-call.ts'
import { mailOriginOf } from '../../../core/http/public-origin.ts'
import type { AuthContext } from '../context.ts'
import { listAccounts, updateAccount } from './account-admin.service.ts'
import { endSessionOf, endSessionsOf, listSessionsOf } from './account-admin-session.service.ts'
import { sendReset } from './send-reset.ts'

export function addAccountAdminRoutes(app: FastifyInstance, context: AuthContext): void {
  addCall(app, accountAdminCalls, 'GET /api/admin/account', ({ query, actor }) =>
    readStale(context, actor, (from) => listAccounts(from, actor, query)),
  )

  addCall(app, accountAdminCalls, 'PUT /api/admin/account/{id}', ({ params, body, actor }) =>
    updateAccount(context, actor, { id: params.id, change: body }),
  )

  addCall(
    app,
    accountAdminCalls,
    'POST /api/admin/account/{id}/resetPassword',
    async ({ params, actor, request }) => {
      const publicOrigin = mailOriginOf(context.config, request)
      await sendReset(context, actor, { id: params.id, publicOrigin })
      return null
    },
  )

  addCall(
    app,
    accountAdminCalls,
    'GET /api/admin/account/{id}/session',
    async ({ params, actor }) => ({ items: await listSessionsOf(context, actor, params.id) }),
  )

  addCall(
    app,
    accountAdminCalls,
    'DELETE /api/admin/account/{id}/session',
    async ({ params, actor }) => ({ ended: await endSessionsOf(context, actor, params.id) }),
  )

  addCall(
    app,
    accountAdminCalls,
    'DELETE /api/admin/account/{id}/session/{sessionId}',
    async ({ params, actor }) => {
      await endSessionOf(context, actor, params)
      return null
    },
  )
}
