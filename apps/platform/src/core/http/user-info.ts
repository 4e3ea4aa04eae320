import { userInfoCalls } from '@grove/contract/core/user-info'
import { isAdmin, isDeveloper } from '@grove/auth-client/rules'
import type { FastifyInstance } from 'fastify'
import { addCall } from './add-call.ts'

/** Every process serves it, for any api-version: it describes the token, whatever the service. */
export function addUserInfo(app: FastifyInstance): void {
  addCall(app, userInfoCalls, 'GET /api/user/info', ({ request }) => {
    if (request.accessToken === null) throw new Error('The call was not authorized.')
    const { userId, realm, roles, expiresAt } = request.accessToken
    return {
      is_admin: isAdmin(roles),
      is_developer: isDeveloper(roles),
      is_expired: false,
      is_valid: true,
      roles: [...roles],
      provider: realm,
      user_id: userId,
      expires_at: new Date(expiresAt).toISOString(),
    }
  })
}
