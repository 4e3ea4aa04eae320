import { externalCalls } from '@grove/contract/auth/external'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { AuthContext } from '../context.ts'
import { linkIdentity, unlinkIdentity } from './identity.service.ts'

export function addIdentityRoutes(app: FastifyInstance, context: AuthContext): void {
  addCall(app, externalCalls, 'POST /api/user/identity', async ({ body, actor }) => {
    await linkIdentity(context, actor, body)
    return null
  })

  addCall(app, externalCalls, 'DELETE /api/user/identity/{id}', async ({ params, actor }) => {
    await unlinkIdentity(context, actor, params)
    return null
  })
}
