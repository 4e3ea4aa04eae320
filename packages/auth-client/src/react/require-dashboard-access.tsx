'use client'

import type { ReactNode } from 'react'
import { hasDashboardAccess } from '../access.ts'
import { useAuthClient } from './auth-provider.tsx'
import { RequireRole, type RequireRoleProps } from './require-role.tsx'

/** The props of `RequireDashboardAccess`: those of `RequireRole` without `allow`. */
export type RequireDashboardAccessProps = Omit<RequireRoleProps, 'allow'>

/** `RequireRole` for the roles that open the dashboard: DEVELOPER and ADMIN, or the client's own. */
export function RequireDashboardAccess(props: RequireDashboardAccessProps): ReactNode {
  const { dashboardRoles } = useAuthClient()
  return <RequireRole {...props} allow={({ roles }) => hasDashboardAccess(roles, dashboardRoles)} />
}
