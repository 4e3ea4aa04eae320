import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { AuthContext } from '../context.ts'
import { linkIdentity, unlinkIdentity } from './identity.service.ts'

export function addIdentityRoutes(app: FastifyInstance, context: AuthContext): void {
  addCall(app, 'POST /api/user/identity', async ({ body, actor }) => {
    await linkIdentity(context, actor, body)
    return null
  })

  addCall(app, 'DELETE /api/user/identity/{id}', async ({ params, actor }) => {
    await unlinkIdentity(context, actor, params)
    return null
  })
}
