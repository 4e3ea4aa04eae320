import { sessionCalls } from '@grove/contract/auth/session'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import { refuseCrossSite } from '../../../core/http/cross-site.ts'
import type { AuthContext } from '../context.ts'
import { endSession, issueAnonymousToken, refreshSession } from './session.service.ts'
import { signIn } from './parts/sign-in.ts'

export function addSessionRoutes(app: FastifyInstance, context: AuthContext): void {
  addCall(app, sessionCalls, 'POST /api/token/password', async ({ body, actor }) => ({
    token: await signIn(context, actor, body),
  }))

  addCall(app, sessionCalls, 'POST /api/token/refresh', async ({ body, actor }) => ({
    token: await refreshSession(context, actor, body),
  }))

  addCall(app, sessionCalls, 'POST /api/logout', async ({ body, actor }) => {
    await endSession(context, actor, body)
    return null
  })

  addCall(app, sessionCalls, 'GET /api/token/anonymous', async ({ actor, request }) => {
    refuseCrossSite(request, context.config)
    return { token: await issueAnonymousToken(context, actor) }
  })
}
