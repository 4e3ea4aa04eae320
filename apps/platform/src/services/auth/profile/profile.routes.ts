import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import { findConsoleOrigin } from '../../../core/http/public-origin.ts'
import type { Auth } from '../auth.ts'
import { changePassword } from './change-password.ts'
import { changeProfile, readProfile } from './profile.service.ts'

export function addProfileRoutes(app: FastifyInstance, auth: Auth): void {
  addCall(app, 'auth', 'GET /api/user/profile', ({ caller }) => readProfile(auth, caller))

  addCall(app, 'auth', 'PUT /api/user/profile', ({ body, caller, origin }) =>
    changeProfile(auth, caller, body, origin),
  )

  addCall(app, 'auth', 'PUT /api/user/password', async ({ body, caller, origin, request }) => {
    await changePassword(auth, caller, body, origin, findConsoleOrigin(auth.config, request))
    return null
  })
}
