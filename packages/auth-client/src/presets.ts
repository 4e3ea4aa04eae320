import type { EndSession, OidcOptions } from './oidc/types.ts'

type Own = 'issuer' | 'discoveryUrl' | 'identity' | 'hintParameter' | 'endSession' | 'metadata'

/** Any other option of `oidc`; a given option takes precedence over the preset's. */
export interface PresetOptions extends Omit<OidcOptions, Own> {
  /** See `oidc`. */
  identity?: OidcOptions['identity']
}

/** The options of `keycloak`. */
export interface KeycloakOptions extends PresetOptions {
  /** The server's base URL, such as `https://id.example.com`; before version 17 with `/auth`. */
  url: string
  /** The realm's name, as in its URLs. */
  realm: string
  /** The client whose roles count (`resource_access`); default: the realm's roles. */
  rolesOfClient?: string
}

/**
 * Options of `oidc` for a realm of Keycloak. Roles are the realm's (`realm_access.roles`) or those of a
 * client. The session lasts as long as that of Keycloak; for more add `offline_access` to `scope`.
 */
export function keycloak({ url, realm, rolesOfClient, ...options }: KeycloakOptions): OidcOptions {
  return {
    issuer: `${withoutSlash(url)}/realms/${encodeURIComponent(realm)}`,
    // With `offline_access` Keycloak would keep a session that its logout does not end.
    scope: 'openid profile email',
    rolesClaim: rolesOfClient
      ? ['resource_access', rolesOfClient, 'roles']
      : ['realm_access', 'roles'],
    ...options,
  }
}

/** The options of `auth0`. */
export interface Auth0Options extends PresetOptions {
  /** The tenant's domain or your own, such as `acme.eu.auth0.com`. */
  domain: string
  /** The API that access tokens are for. Without it they are opaque, and the ID token is verified. */
  audience?: string
}

/**
 * Options of `oidc` for Auth0. For renewal, the application needs the grant “Refresh Token”, with
 * rotation. Roles: an Action puts them into a claim with a name of yours, `rolesClaim`. `hint` is a
 * connection.
 */
export function auth0({ domain, audience, parameters, ...options }: Auth0Options): OidcOptions {
  const issuer = `https://${withoutSlash(domain.replace(/^https:\/\//, ''))}/`
  return {
    issuer,
    prompt: '',
    hintParameter: 'connection',
    scope: 'openid profile email offline_access',
    identity: audience ? 'accessToken' : 'idToken',
    ...options,
    ...(audience && { audience }),
    parameters: { ...(audience && { audience }), ...parameters },
    endSession: (session) => auth0Logout(issuer, session),
  }
}

// Tenants from before 2023 have no end_session_endpoint unless it is switched on.
function auth0Logout(
  issuer: string,
  { endpoint, clientId, idToken, returnTo }: EndSession,
): string {
  const url = new URL(endpoint ?? `${issuer}v2/logout`)
  url.searchParams.set('client_id', clientId)
  if (endpoint) url.searchParams.set('post_logout_redirect_uri', returnTo)
  else url.searchParams.set('returnTo', returnTo)
  if (endpoint && idToken) url.searchParams.set('id_token_hint', idToken)
  return url.href
}

/** The options of `entra`. */
export interface EntraOptions extends PresetOptions {
  /**
   * The tenant's ID (a UUID); `common`, `organizations` or `consumers` for people of any tenant, which
   * your API must then tell apart by `tid`.
   */
  tenant: string
}

/**
 * Options of `oidc` for Microsoft Entra ID. The ID token is verified, and has the app roles of the
 * client's own registration (`roles`): an access token is for the API that `scope` names, and without
 * one for Microsoft Graph. `hint` is a domain.
 */
export function entra({
  tenant,
  scope = 'openid profile email offline_access',
  ...options
}: EntraOptions): OidcOptions {
  const base = 'https://login.microsoftonline.com'
  const isOfMany = /^(common|organizations)$/.test(tenant)
  const own = tenant === 'consumers' ? CONSUMERS : tenant
  return {
    issuer: `${base}/${isOfMany ? '{tenantid}' : own}/v2.0`,
    discoveryUrl: `${base}/${tenant}/v2.0/.well-known/openid-configuration`,
    prompt: '',
    hintParameter: 'domain_hint',
    scope,
    rolesClaim: 'roles',
    identity: 'idToken',
    ...options,
    // Without it a refresh asks for a token of the client itself, which is refused.
    tokenParameters: { scope, ...options.tokenParameters },
  }
}

// The tenant of personal Microsoft accounts.
const CONSUMERS = '9188040d-6c67-4c5b-b112-36a304b66dad'

/** The options of `logto`. */
export interface LogtoOptions extends PresetOptions {
  /** The endpoint as the console of Logto shows it, such as `https://acme.logto.app`. */
  endpoint: string
  /** The API resource that access tokens are for. Without it they are opaque. */
  resource?: string
}

/**
 * Options of `oidc` for Logto. Roles are in the ID token (`roles`, with the scope `roles`); an access
 * token for a resource has permissions (`scope`) and custom claims, so name the one with your roles in
 * `rolesClaim`, or keep `identity: 'idToken'`. `hint` is `social:google` or the like.
 */
export function logto({ endpoint, resource, ...options }: LogtoOptions): OidcOptions {
  const target = resource && { resource }
  return {
    issuer: `${withoutSlash(endpoint)}/oidc`,
    prompt: 'consent',
    hintParameter: 'direct_sign_in',
    scope: 'openid profile email roles offline_access',
    rolesClaim: 'roles',
    identity: resource ? 'accessToken' : 'idToken',
    ...(resource && { audience: resource }),
    ...options,
    parameters: { ...target, ...options.parameters },
    tokenParameters: { ...target, ...options.tokenParameters },
  }
}

const withoutSlash = (url: string) => url.replace(/\/+$/, '')
