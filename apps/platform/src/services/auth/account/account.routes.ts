import { sessionCalls } from '@grove/contract/auth/session'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import { refuseCrossSite } from '../../../core/http/cross-site.ts'
import { findMailOrigin } from '../../../core/http/public-origin.ts'
import type { AuthContext } from '../context.ts'
import { emailExists, signUp } from './account.service.ts'

export function addAccountRoutes(app: FastifyInstance, context: AuthContext): void {
  addCall(app, sessionCalls, 'POST /api/signup', async ({ body, actor, request }) => ({
    token: await signUp(context, actor, {
      ...body,
      publicOrigin: findMailOrigin(context.config, request),
    }),
  }))

  addCall(app, sessionCalls, 'GET /api/user/exists/email', async ({ query, actor, request }) => {
    refuseCrossSite(request, context.config)
    return { exists: await emailExists(context, actor, query) }
  })
}
