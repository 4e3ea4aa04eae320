import { isAdmin, isDeveloper } from './access.ts'
import type { Session } from './session/session.ts'
import type { TokenDetails } from './types.ts'

/**
 * The details of a session with a verified token; null means that the token is missing, expired or
 * unverified.
 */
export function detailsOf(session: Session | null, adminRoles?: readonly string[]): TokenDetails {
  const roles = [...(session?.roles ?? [])]
  return {
    is_admin: isAdmin(roles, adminRoles),
    is_developer: isDeveloper(roles),
    is_expired: session === null,
    is_valid: session !== null,
    roles,
    provider: session?.provider ?? null,
    user_id: session?.userId ?? null,
  }
}
