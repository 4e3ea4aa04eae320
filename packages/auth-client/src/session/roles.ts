import { type Claims, isText } from './token.ts'

/** The two roles that open the dashboard. */
const DASHBOARD_ROLES: readonly string[] = ['DEVELOPER', 'ADMIN']

/** The roles of a token, whether it carries `roles` (a list), `role` (one) or both. */
export function rolesOf(claims: Claims): string[] {
  const list = Array.isArray(claims['roles']) ? claims['roles'] : []
  return [...new Set([claims['role'], ...list].filter(isText))]
}

/** Whether one of the roles equals a dashboard role. */
export function hasDashboardAccess(roles: readonly string[]): boolean {
  return roles.some((role) => DASHBOARD_ROLES.includes(role))
}

/** Whether one of the roles equals the admin role. */
export function isAdmin(roles: readonly string[]): boolean {
  return roles.includes('ADMIN')
}

/** Whether one of the roles contains "developer" or "admin", ignoring case. */
export function isDeveloper(roles: readonly string[]): boolean {
  return roles.some((role) => /developer|admin/i.test(role))
}
