import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import { findMailOrigin, mailOriginOf } from '../../../core/http/public-origin.ts'
import type { AuthContext } from '../context.ts'
import { checkLink, resetPassword, sendLink, validateEmail } from './email.service.ts'

export function addEmailRoutes(app: FastifyInstance, context: AuthContext): void {
  addCall(app, 'POST /api/send/validateEmail', async ({ body, actor, request }) => {
    const publicOrigin = mailOriginOf(context.config, request)
    await sendLink(context, actor, { ...body, purpose: 'validate', publicOrigin })
    return null
  })

  addCall(app, 'POST /api/send/resetPassword', async ({ body, actor, request }) => {
    const publicOrigin = mailOriginOf(context.config, request)
    await sendLink(context, actor, { ...body, purpose: 'reset', publicOrigin })
    return null
  })

  addCall(app, 'POST /api/user/checkEmailToken', async ({ body, actor }) => {
    await checkLink(context, actor, body)
    return null
  })

  addCall(app, 'POST /api/user/validateEmail', async ({ body, actor }) => ({
    email: await validateEmail(context, actor, body),
  }))

  addCall(app, 'POST /api/user/resetPassword', async ({ body, actor, request }) => ({
    email: await resetPassword(context, actor, {
      ...body,
      publicOrigin: findMailOrigin(context.config, request),
    }),
  }))
}
