import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { Auth } from '../auth.ts'
import { linkIdentity, unlinkIdentity } from './identity.service.ts'

export function addIdentityRoutes(app: FastifyInstance, auth: Auth): void {
  addCall(app, 'auth', 'POST /api/user/identity', async ({ body, caller, origin }) => {
    await linkIdentity(auth, caller, body.linkToken, origin)
    return null
  })

  addCall(app, 'auth', 'DELETE /api/user/identity/{id}', async ({ params, caller, origin }) => {
    await unlinkIdentity(auth, caller, params.id, origin)
    return null
  })
}
