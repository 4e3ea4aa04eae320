import type { Config } from '../../core/config.ts'
import { readText, readUrl, type Environment } from '../../core/environment.ts'

/** URLs of services that run elsewhere; default: the page's origin. */
export interface ConsoleSettings {
  stage: string
  addresses: {
    auth_api_url?: string
    auth_api_provider: string
    auth_jwks_url?: string
    /** PEM: used for verification instead of a JWKS. */
    auth_public_key?: string
    /** `client_id` at the external login of a service that does not announce one. */
    auth_client_id?: string
    /** Where an external login posts its code, if that is another origin. */
    auth_callback_url?: string
    /** The path to the roles claim. */
    auth_roles_claim?: string[]
    /** The roles that open the dashboard, instead of DEVELOPER and ADMIN. */
    auth_dashboard_roles?: string[]
    auth_admin_roles?: string[]
    cedar_api_url?: string
    maple_api_url?: string
  }
}

/** @throws StartupError naming the variable. */
export function readSettings(env: Environment, config: Config): ConsoleSettings {
  return {
    // The name shown in the console's sidebar.
    stage: readText(env, 'GROVE_STAGE') ?? (config.isProduction ? 'production' : 'local'),
    addresses: withoutUndefined({
      // URLs of services that run elsewhere, as browsers reach them.
      auth_api_url: readUrl(env, 'GROVE_AUTH_API_URL'),
      auth_api_provider: config.realm,
      auth_jwks_url: config.tokens.jwksUrl,
      auth_public_key: config.tokens.publicKey,
      // Set for a foreign authentication service whose external login does not announce it.
      auth_client_id: readText(env, 'GROVE_AUTH_CLIENT_ID'),
      // The URL of `urls.callback`, if its origin is not named here.
      auth_callback_url: readUrl(env, 'GROVE_AUTH_CALLBACK_URL'),
      auth_roles_claim: config.tokens.rolesClaim && [...config.tokens.rolesClaim],
      // The roles that open the dashboard, separated by commas.
      auth_dashboard_roles: dashboardRoles(config.tokens),
      auth_admin_roles: config.tokens.adminRoles && [...config.tokens.adminRoles],
      cedar_api_url: readUrl(env, 'GROVE_CEDAR_API_URL'),
      maple_api_url: readUrl(env, 'GROVE_MAPLE_API_URL'),
    }),
  }
}

/** Administrators may enter too, whatever their role is called. */
function dashboardRoles({ adminRoles, developerRoles }: Config['tokens']): string[] | undefined {
  if (!adminRoles && !developerRoles) return undefined
  return [...(developerRoles ?? ['DEVELOPER']), ...(adminRoles ?? ['ADMIN'])]
}

function withoutUndefined<T extends object>(object: T): { [K in keyof T]: NonNullable<T[K]> } {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]: NonNullable<T[K]> }
}
