import { createAuthClient } from '@grove/auth-client'
import { keysAddress, serviceFetch } from './service-fetch.ts'
import { stage } from './stage.ts'

const {
  auth_api_url: authUrl = '',
  auth_api_provider: realm,
  auth_public_key: publicKey,
  auth_roles_claim: rolesClaim,
  auth_dashboard_roles: dashboardRoles,
  auth_admin_roles: adminRoles,
} = stage.default

let lastError: unknown
/** The latest failure in the background, such as a session renewal or a token check. */
export const lastAuthError = () => lastError

export const auth = createAuthClient({
  authUrl,
  realm,
  stage: stage.stage,
  apiVersion: stage.settings.authApiVersion,
  fetch: serviceFetch,
  rejectWith: 'error',
  onError(error) {
    lastError = error
    console.warn(error)
  },
  ...(rolesClaim && { rolesClaim }),
  ...(dashboardRoles && { dashboardRoles }),
  ...(adminRoles && { adminRoles }),
  verification: publicKey ? { publicKey } : { jwksUrl: keysAddress },
})

/**
 * Whether someone was signed in when the page started: the service may say no before the rest of the
 * page loads.
 */
export const beganSignedIn = auth.getState().status !== 'signedOut'
