import { accountAdminCalls } from '@grove/contract/auth/account-admin'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { AuthContext } from '../context.ts'
import { listAccounts, setAccountEnabled } from './account-admin.service.ts'

export function addAccountAdminRoutes(app: FastifyInstance, context: AuthContext): void {
  addCall(app, accountAdminCalls, 'GET /api/admin/account', ({ query, actor }) =>
    listAccounts(context, actor, query),
  )

  addCall(app, accountAdminCalls, 'PUT /api/admin/account/{id}', ({ params, body, actor }) =>
    setAccountEnabled(context, actor, { id: params.id, isEnabled: body.enabled }),
  )
}
