/** The roles that open the dashboard, unless the client's options name others. */
const DASHBOARD_ROLES: readonly string[] = ['DEVELOPER', 'ADMIN']

/** Whether one of the roles equals a dashboard role: DEVELOPER, ADMIN, or one of those given. */
export function hasDashboardAccess(
  roles: readonly string[],
  dashboardRoles: readonly string[] = DASHBOARD_ROLES,
): boolean {
  return roles.some((role) => dashboardRoles.includes(role))
}

/** Whether one of the roles is an admin role: ADMIN, or one of the given ones. */
export function isAdmin(
  roles: readonly string[],
  adminRoles: readonly string[] = ['ADMIN'],
): boolean {
  return roles.some((role) => adminRoles.includes(role))
}

/** Whether one of the roles contains "developer" or "admin", ignoring case. */
export function isDeveloper(roles: readonly string[]): boolean {
  return roles.some((role) => /developer|admin/i.test(role))
}
