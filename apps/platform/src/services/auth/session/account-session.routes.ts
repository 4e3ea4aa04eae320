import { profileCalls } from '@grove/contract/auth/profile'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { AuthContext } from '../context.ts'
import { listSessions, revokeOtherSessions, revokeSession } from './account-session.service.ts'

export function addAccountSessionRoutes(app: FastifyInstance, context: AuthContext): void {
  addCall(app, profileCalls, 'GET /api/user/session', async ({ actor }) => ({
    items: await listSessions(context, actor),
  }))

  addCall(app, profileCalls, 'DELETE /api/user/session/{id}', async ({ params, actor }) => {
    await revokeSession(context, actor, params)
    return null
  })

  addCall(app, profileCalls, 'DELETE /api/user/session', async ({ actor }) => ({
    ended: await revokeOtherSessions(context, actor),
  }))
}
