import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { Auth } from '../auth.ts'
import { listAccounts, setAccountEnabled } from './account-admin.service.ts'

export function addAccountAdminRoutes(app: FastifyInstance, auth: Auth): void {
  addCall(app, 'auth', 'GET /api/admin/account', ({ query, caller }) =>
    listAccounts(auth, caller, query),
  )

  addCall(app, 'auth', 'PUT /api/admin/account/{id}', ({ params, body, caller, origin }) =>
    setAccountEnabled(auth, caller, params.id, body.enabled, origin),
  )
}
