import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import { Timestamp } from '../shapes.ts'

export const userInfoCalls = defineCalls('cedar', {
  'GET /api/user/info': {
    summary: 'The claims of the bearer token, verified by public key',
    access: 'anonymous',
    // spec §3 "Token details".
    response: Type.Object({
      is_admin: Type.Boolean(),
      is_developer: Type.Boolean(),
      is_expired: Type.Boolean(),
      is_valid: Type.Boolean(),
      roles: Type.Array(Type.String()),
      provider: Type.String(),
      user_id: Type.String(),
      expires_at: Timestamp,
    }),
  },
})
