import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import { findConsoleOrigin } from '../../../core/http/public-origin.ts'
import type { Auth } from '../auth.ts'
import { emailExists, signUp } from './account.service.ts'

export function addAccountRoutes(app: FastifyInstance, auth: Auth): void {
  addCall(app, 'auth', 'POST /api/signup', async ({ body, origin, request }) => ({
    token: await signUp(auth, body, findConsoleOrigin(auth.config, request), origin),
  }))

  addCall(app, 'auth', 'GET /api/user/exists/email', async ({ query, origin }) => ({
    exists: await emailExists(auth, query, origin),
  }))
}
