import { profileCalls } from '@grove/contract/auth/profile'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import { findMailOrigin } from '../../../core/http/public-origin.ts'
import type { AuthContext } from '../context.ts'
import { changePassword } from './change-password.ts'
import { changeProfile, readProfile } from './profile.service.ts'

export function addProfileRoutes(app: FastifyInstance, context: AuthContext): void {
  addCall(app, profileCalls, 'GET /api/user/profile', ({ actor }) => readProfile(context, actor))

  addCall(app, profileCalls, 'PUT /api/user/profile', ({ body, actor }) =>
    changeProfile(context, actor, body),
  )

  addCall(app, profileCalls, 'PUT /api/user/password', async ({ body, actor, request }) => {
    const publicOrigin = findMailOrigin(context.config, request)
    await changePassword(context, actor, { ...body, publicOrigin })
    return null
  })
}
