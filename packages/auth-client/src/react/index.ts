'use client'

export { AuthProvider, useAuthClient } from './auth-provider.tsx'
export {
  RequireDashboardAccess,
  type RequireDashboardAccessProps,
} from './require-dashboard-access.tsx'
export { RequireRole, type RequireRoleProps } from './require-role.tsx'
export { useSession } from './use-session.ts'
export { type TokenDetailsResult, useTokenDetails } from './use-token-details.ts'
