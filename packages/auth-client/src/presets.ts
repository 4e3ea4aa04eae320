import type { Claims } from './session/token.ts'
import type { AuthClientOptions, Path } from './types.ts'

type Presets = Pick<
  AuthClientOptions,
  'apiVersion' | 'authUrl' | 'fetch' | 'paths' | 'realm' | 'rolesClaim' | 'verification'
>

/** The options of `oauth`. */
export interface OAuthOptions {
  /** The URL of the token endpoint. */
  tokenUrl: string
  /** A public client: no secret is sent. */
  clientId: string
  /** The URL of the revocation endpoint (RFC 7009), called at sign-out. */
  revocationUrl?: string
  /** Default 'oauth'; part of the storage key. */
  realm?: string
  /** Scopes to request at sign-in, separated by spaces. */
  scope?: string
  /** Sends every request; default: the global `fetch`. */
  fetch?: typeof fetch
}

/**
 * Options for a service with an OAuth 2.0 token endpoint (RFC 6749 §4.3, §6): `signIn` sends
 * `username` (or `email`) and `password` with the password grant, a refresh sends the refresh
 * token. Everything is form-encoded, without an `api-version`. Spread it into the options of
 * `createAuthClient`.
 */
export function oauth(options: OAuthOptions): Presets {
  const { tokenUrl, clientId, revocationUrl, realm = 'oauth', scope } = options
  const writers: Partial<Record<Path, (json: Body) => Record<string, unknown>>> = {
    '/api/token/password': ({ email, username = email, password }) => ({
      grant_type: 'password',
      client_id: clientId,
      username,
      password,
      scope,
    }),
    '/api/token/refresh': ({ refreshToken }) => ({
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: refreshToken,
    }),
    '/api/logout': ({ refreshToken }) => ({
      client_id: clientId,
      token: refreshToken,
      refresh_token: refreshToken,
    }),
  }
  const urls: Partial<Record<Path, string | undefined>> = {
    '/api/token/password': tokenUrl,
    '/api/token/refresh': tokenUrl,
    '/api/logout': revocationUrl,
  }
  const send = options.fetch ?? ((input, init) => globalThis.fetch(input, init))

  return {
    authUrl: MARK,
    realm,
    apiVersion: '',
    async fetch(input, init) {
      const path = typeof input === 'string' && input.startsWith(MARK) && input.slice(MARK.length)
      if (!path) return send(input, init)
      const [url, write] = [urls[path as Path], writers[path as Path]]
      // There is no such call; a service without it answers 404 too.
      if (!url || !write || typeof init?.body !== 'string') return new Response('', { status: 404 })
      const fields = Object.entries(write(JSON.parse(init.body) as Body)).filter(
        (field): field is [string, string] => typeof field[1] === 'string',
      )
      // Only headers that need no preflight; the revocation endpoint needs nothing but the token.
      const headers = { accept: 'application/json' }
      return inOurWords(await send(url, { ...init, headers, body: new URLSearchParams(fields) }))
    },
  }
}

/** The options of `keycloak`. */
export interface KeycloakOptions {
  /** The server's base URL, such as `https://id.example.com`. */
  url: string
  /** The realm's name, as in its URLs. */
  realm: string
  /** A public client of the realm that allows "Direct access grants". */
  clientId: string
  /** Scopes to request at sign-in, separated by spaces. */
  scope?: string
  /** Sends every request; default: the global `fetch`. */
  fetch?: typeof fetch
}

/**
 * Options for a Keycloak realm: its token endpoint, its logout, its keys, and the realm's roles
 * (`realm_access.roles`). Spread it into the options of `createAuthClient`.
 */
export function keycloak(options: KeycloakOptions): Presets {
  const { realm } = options
  const issuer = `${options.url.replace(/\/+$/, '')}/realms/${encodeURIComponent(realm)}`
  const endpoint = `${issuer}/protocol/openid-connect`
  return {
    ...oauth({
      ...options,
      tokenUrl: `${endpoint}/token`,
      revocationUrl: `${endpoint}/logout`,
    }),
    rolesClaim: ['realm_access', 'roles'],
    verification: { jwksUrl: `${endpoint}/certs`, issuer },
  }
}

type Body = Record<string, unknown>

// A placeholder, not a network address: the preset maps the client's calls to the realm's endpoints.
const MARK = 'https://grove-preset.invalid'

async function inOurWords(response: Response): Promise<Response> {
  const text = await response.text()
  const { status, headers } = response
  // A response of this status must not have a body, not even an empty string.
  if (status === 204) return response
  return new Response(translated(text), { status, headers })
}

function translated(text: string): string {
  try {
    const {
      access_token: accessToken,
      refresh_token: refreshToken,
      token_type: tokenType,
    }: Claims = Object(JSON.parse(text))
    if (accessToken === undefined) return text
    return JSON.stringify({ token: { tokenType, accessToken, refreshToken } })
  } catch {
    return text
  }
}
