import type { AuthClient, AuthClientOptions, StartExternalLoginOptions } from '../types.ts'

/** The used part of a service's OpenID configuration (OpenID Connect Discovery 1.0 §3). */
export interface OidcMetadata {
  /** Must equal the option `issuer`. */
  issuer: string
  /** Where people sign in. */
  authorization_endpoint: string
  /** Where codes and refresh tokens are exchanged for tokens. */
  token_endpoint: string
  /** The service's keys. */
  jwks_uri: string
  /** Ends a session at the service (OpenID Connect RP-Initiated Logout 1.0). */
  end_session_endpoint?: string
  /** Revokes a refresh token (RFC 7009). */
  revocation_endpoint?: string
  /** If absent, `offline_access` counts as supported. */
  scopes_supported?: readonly string[]
  /** Whether each answer names its issuer (RFC 9207). */
  authorization_response_iss_parameter_supported?: boolean
}

/** The parts of the URL that ends a session at the service. */
export interface EndSession {
  /** The service's `end_session_endpoint`, if it has one. */
  endpoint: string | undefined
  /** The option `clientId`. */
  clientId: string
  /** The ID token of the session that ends, if there was one. */
  idToken: string | undefined
  /** The URL to which the service redirects afterwards. */
  returnTo: string
}

/** The options of `oidc`; only `issuer` and `clientId` are required. */
export interface OidcOptions extends Omit<
  AuthClientOptions,
  'authUrl' | 'realm' | 'apiVersion' | 'paths' | 'rejectWith' | 'verification'
> {
  /** Exactly as the service spells it, with or without a trailing slash. */
  issuer: string
  /**
   * Time limit of a call to the service in milliseconds, 0 for none; default: 10,000 for what people
   * wait for (discovery, the exchange of a code), none for a refresh.
   */
  timeout?: number
  /** A public client (no secret) that may use the authorization code flow with PKCE. */
  clientId: string
  /** A page of this origin, as registered at the service; default: `/`. */
  redirectUri?: string
  /** Where the service redirects after the logout, as registered there; default: `redirectUri`. */
  postLogoutRedirectUri?: string
  /**
   * Default: `openid profile email`, and `offline_access` where the service supports it, which makes
   * it issue a refresh token.
   */
  scope?: string
  /** `prompt`; default: `consent` with `offline_access`, as OpenID Connect demands, '' sends none. */
  prompt?: string
  /** Additional parameters of the authorization request, such as `audience` or `ui_locales`. */
  parameters?: Readonly<Record<string, string>>
  /** Additional parameters of the token requests, such as `resource`. */
  tokenParameters?: Readonly<Record<string, string>>
  /** The parameter for the `hint` of a sign-in; default: `kc_idp_hint`. */
  hintParameter?: string
  /**
   * The token that says who signed in and with which roles, and that `tokenDetails` verifies. Default:
   * `accessToken`, which must be a JWT. With `idToken` access tokens may be opaque.
   */
  identity?: 'accessToken' | 'idToken'
  /** The `aud` that an access token must have or contain; default: any. */
  audience?: string
  /**
   * The URL of the configuration (`https:`), if it is not at `.well-known/openid-configuration` of
   * the issuer.
   */
  discoveryUrl?: string
  /** The configuration itself, for a service without discovery. */
  metadata?: OidcMetadata
  /**
   * The address that ends a session at the service; default: its `end_session_endpoint`. null if there
   * is none.
   */
  endSession?: (session: EndSession) => string | null
}

/** The options of `signInWithRedirect`. */
export interface SignInOptions extends Omit<StartExternalLoginOptions, 'broker' | 'clientId'> {
  /** The page of this origin to return to; default: the current one. */
  returnTo?: string
}

/** The options of `signOutWithRedirect`. */
export interface SignOutOptions {
  /**
   * A whole URL, as registered at the service; default: `postLogoutRedirectUri`. Where the service
   * does not lead there, only a page of this origin is opened.
   */
  returnTo?: string
}

/** The outcome of a redirect from the service. */
export interface RedirectResult {
  /** Whether there is a session now, from this sign-in or an earlier one. */
  isSignedIn: boolean
  /** The page to show: the one that was open at the start, always of this origin. */
  returnTo: string
  /**
   * Why this sign-in failed: `AuthError`, `OidcError` or `ExternalLoginError`, which `signInFailure`
   * puts into words. Absent after a success, and for an answer that is opened again while signed in.
   */
  error?: unknown
}

/**
 * A client of an OpenID service. Calls that such a service does not have, such as `signUp`, reject.
 */
export interface OidcClient extends AuthClient {
  /**
   * Leads to the service's sign-in page.
   * @throws AuthError without `status`, or with 5xx, if the service is not responding
   * @throws OidcError if it is not set up as this client needs it; the message says what to change
   * @throws ExternalLoginError with the code `storage_denied` or `insecure_origin`
   * @example
   * import { oidc } from '@grove/auth-client/oidc'
   * import { signInFailure } from '@grove/auth-client/rules'
   *
   * const client = oidc({ issuer: 'https://id.example.com', clientId: 'my-app' })
   * await client
   *   .signInWithRedirect({ returnTo: '/orders' })
   *   .catch((error: unknown) => console.log(signInFailure(error)))
   */
  readonly signInWithRedirect: (options?: SignInOptions) => Promise<void>
  /**
   * Completes the sign-in that this page was opened with. The code leaves the address at once; at the
   * end the address is that of the page to return to. null if this page was opened otherwise. Never
   * rejects; calls at the same time get the same result.
   * @example
   * import { oidc } from '@grove/auth-client/oidc'
   * import { signInFailure } from '@grove/auth-client/rules'
   *
   * const client = oidc({ issuer: 'https://id.example.com', clientId: 'my-app' })
   * const result = await client.completeRedirect()
   * if (result?.error) console.log(signInFailure(result.error).text)
   */
  readonly completeRedirect: () => Promise<RedirectResult | null>
  /**
   * Signs out here and at the service: clears the session, revokes its refresh token and leads to the
   * service's logout. If the service has none, or is not responding, it opens `returnTo` itself.
   * Never rejects.
   * @example
   * import { oidc } from '@grove/auth-client/oidc'
   *
   * const client = oidc({ issuer: 'https://id.example.com', clientId: 'my-app' })
   * await client.signOutWithRedirect()
   */
  readonly signOutWithRedirect: (options?: SignOutOptions) => Promise<void>
}
