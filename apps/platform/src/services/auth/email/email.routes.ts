import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import { consoleOriginOf, findConsoleOrigin } from '../../../core/http/public-origin.ts'
import type { Auth } from '../auth.ts'
import { resetPassword, sendLink, validateEmail } from './email.service.ts'

export function addEmailRoutes(app: FastifyInstance, auth: Auth): void {
  addCall(app, 'auth', 'POST /api/send/validateEmail', async ({ body, origin, request }) => {
    await sendLink(auth, 'validate', body, consoleOriginOf(auth.config, request), origin)
    return null
  })

  addCall(app, 'auth', 'POST /api/send/resetPassword', async ({ body, origin, request }) => {
    await sendLink(auth, 'reset', body, consoleOriginOf(auth.config, request), origin)
    return null
  })

  addCall(app, 'auth', 'POST /api/user/validateEmail', async ({ body, origin }) => ({
    email: await validateEmail(auth, body, origin),
  }))

  addCall(app, 'auth', 'POST /api/user/resetPassword', async ({ body, origin, request }) => ({
    email: await resetPassword(auth, body, findConsoleOrigin(auth.config, request), origin),
  }))
}
