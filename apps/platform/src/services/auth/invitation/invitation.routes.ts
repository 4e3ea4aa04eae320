import { invitationCalls } from '@grove/contract/auth/invitation'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import { mailOriginOf } from '../../../core/http/public-origin.ts'
import type { AuthContext } from '../context.ts'
import { acceptInvitation, checkInvitation } from './accept-invitation.ts'
import { invite, listInvitations, sendAgain, withdraw } from './invitation.service.ts'

export function addInvitationRoutes(app: FastifyInstance, context: AuthContext): void {
  addCall(app, invitationCalls, 'GET /api/admin/invitation', ({ query, actor }) =>
    listInvitations(context, actor, query),
  )

  addCall(app, invitationCalls, 'POST /api/admin/invitation', ({ body, actor, request }) =>
    invite(context, actor, { ...body, publicOrigin: mailOriginOf(context.config, request) }),
  )

  addCall(
    app,
    invitationCalls,
    'POST /api/admin/invitation/{id}/send',
    ({ params: { id }, actor, request }) =>
      sendAgain(context, actor, { id, publicOrigin: mailOriginOf(context.config, request) }),
  )

  addCall(app, invitationCalls, 'DELETE /api/admin/invitation/{id}', async ({ params, actor }) => {
    await withdraw(context, actor, params.id)
    return null
  })

  addCall(app, invitationCalls, 'POST /api/user/checkInvitation', ({ body, actor }) =>
    checkInvitation(context, actor, body),
  )

  addCall(app, invitationCalls, 'POST /api/user/acceptInvitation', async ({ body, actor }) => ({
    email: await acceptInvitation(context, actor, body),
  }))
}
