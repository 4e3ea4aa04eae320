import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { Auth } from '../auth.ts'
import { listSessions, revokeOtherSessions, revokeSession } from './account-session.service.ts'

export function addAccountSessionRoutes(app: FastifyInstance, auth: Auth): void {
  addCall(app, 'auth', 'GET /api/user/session', async ({ caller }) => ({
    items: await listSessions(auth, caller),
  }))

  addCall(app, 'auth', 'DELETE /api/user/session/{id}', async ({ params, caller, origin }) => {
    await revokeSession(auth, caller, params.id, origin)
    return null
  })

  addCall(app, 'auth', 'DELETE /api/user/session', async ({ caller, origin }) => ({
    ended: await revokeOtherSessions(auth, caller, origin),
  }))
}
