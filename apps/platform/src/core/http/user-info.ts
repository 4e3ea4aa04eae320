import { isAdmin, isDeveloper } from '@grove/auth-client'
import type { FastifyInstance } from 'fastify'
import { addCall } from './add-call.ts'

/** Every process answers it: whether a token verifies is for none of the services alone to say. */
export function addUserInfo(app: FastifyInstance): void {
  addCall(
    app,
    'cedar',
    'GET /api/user/info',
    ({ caller: { userId, realm, roles, expiresAt } }) => ({
      is_admin: isAdmin(roles),
      is_developer: isDeveloper(roles),
      is_expired: false,
      is_valid: true,
      roles: [...roles],
      provider: realm,
      user_id: userId,
      expires_at: new Date(expiresAt).toISOString(),
    }),
  )
}
