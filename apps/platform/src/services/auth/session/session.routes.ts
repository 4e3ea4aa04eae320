import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { Auth } from '../auth.ts'
import { endSession, issueAnonymousToken, refreshSession } from './session.service.ts'
import { signIn } from './sign-in.ts'

export function addSessionRoutes(app: FastifyInstance, auth: Auth): void {
  addCall(app, 'auth', 'POST /api/token/password', async ({ body, origin }) => ({
    token: await signIn(auth, body, origin),
  }))

  addCall(app, 'auth', 'POST /api/token/refresh', async ({ body, origin }) => ({
    token: await refreshSession(auth, body, origin),
  }))

  addCall(app, 'auth', 'POST /api/logout', async ({ body, origin }) => {
    await endSession(auth, body, origin)
    return null
  })

  addCall(app, 'auth', 'GET /api/token/anonymous', async ({ origin }) => ({
    token: await issueAnonymousToken(auth, origin),
  }))
}
