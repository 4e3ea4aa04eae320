import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

const seconds = () => Math.floor(Date.now() / 1000)

interface Call {
  path: string
  query: URLSearchParams
  form: URLSearchParams
  headers: IncomingMessage['headers']
}

type Answer = { status?: number; body?: unknown; location?: string }

/** A realm `acme` with Keycloak's paths, claims and errors, and with simulated faults. */
export async function startKeycloak() {
  const keys = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }
  const calls: Call[] = []
  const codes = new Map<string, URLSearchParams>()
  const settings = {
    lifetime: 300,
    sub: 'ann',
    isOpaque: false,
    configuration: {} as Record<string, unknown>,
    idToken: {} as Record<string, unknown>,
    accessToken: {} as Record<string, unknown>,
    answer: {} as Record<string, unknown>,
    /** Delays calls of the token endpoint until it settles. */
    held: undefined as Promise<void> | undefined,
    /** Answers that replace those of calls whose path ends with the key. */
    instead: {} as Record<string, Answer>,
  }
  let refreshToken = ''

  const server = createServer((request, response) => void serve(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const issuer = `${url}/realms/acme`
  const endpoint = `${issuer}/protocol/openid-connect`

  const sign = (claims: Record<string, unknown>) =>
    new SignJWT({
      jti: randomUUID(),
      sub: settings.sub,
      iss: issuer,
      azp: 'app',
      iat: seconds(),
      exp: seconds() + settings.lifetime,
      ...claims,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'k', typ: 'JWT' })
      .sign(keys.privateKey)

  async function tokens(nonce?: string | null): Promise<Answer> {
    refreshToken = randomUUID()
    const accessToken = await sign({
      typ: 'Bearer',
      aud: 'account',
      realm_access: { roles: ['acme-admin'] },
      resource_access: { api: { roles: ['editor'] } },
      ...settings.accessToken,
    })
    const idToken = await sign({
      typ: 'ID',
      aud: 'app',
      at_hash: createHash('sha256')
        .update(accessToken)
        .digest()
        .subarray(0, 16)
        .toString('base64url'),
      ...(nonce && { nonce }),
      ...settings.idToken,
    })
    const body = {
      access_token: settings.isOpaque ? randomUUID() : accessToken,
      expires_in: settings.lifetime,
      refresh_expires_in: 1800,
      refresh_token: refreshToken,
      token_type: 'Bearer',
      id_token: idToken,
      'not-before-policy': 0,
      session_state: 'one',
      scope: 'openid email profile',
    }
    return { body: { ...body, ...settings.answer } }
  }

  const refuse = (error: string, description: string): Answer => ({
    status: 400,
    body: { error, error_description: description },
  })

  async function answer({ path, query, form }: Call): Promise<Answer> {
    const [, instead] = Object.entries(settings.instead).find(([end]) => path.endsWith(end)) ?? []
    if (instead) return instead
    if (path.endsWith('/.well-known/openid-configuration')) return { body: configuration() }
    if (path.endsWith('/certs')) return { body: { keys: [jwk] } }
    if (path.endsWith('/revoke')) return {}
    if (path.endsWith('/auth')) return { status: 302, location: authorize(query) }
    if (!path.endsWith('/token'))
      return { status: 404, body: { error: 'Unable to find matching target resource method' } }
    await settings.held
    if (form.get('client_id') !== 'app')
      return {
        status: 401,
        body: {
          error: 'invalid_client',
          error_description: 'Invalid client or Invalid client credentials',
        },
      }
    if (form.get('grant_type') === 'refresh_token')
      return form.get('refresh_token') === refreshToken
        ? tokens()
        : refuse('invalid_grant', 'Session not active')
    const asked = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    if (!asked) return refuse('invalid_grant', 'Code not valid')
    const hash = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (hash !== asked.get('code_challenge'))
      return refuse('invalid_grant', 'PKCE verification failed: Code mismatch')
    return tokens(asked.get('nonce'))
  }

  const configuration = () => ({
    issuer,
    authorization_endpoint: `${endpoint}/auth`,
    token_endpoint: `${endpoint}/token`,
    end_session_endpoint: `${endpoint}/logout`,
    revocation_endpoint: `${endpoint}/revoke`,
    jwks_uri: `${endpoint}/certs`,
    scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
    authorization_response_iss_parameter_supported: true,
    ...settings.configuration,
  })

  /** The URL to which a browser is redirected after signing in. */
  function authorize(query: URLSearchParams): string {
    const code = randomUUID()
    codes.set(code, query)
    const back = new URL(query.get('redirect_uri') ?? '')
    const parameters = { state: query.get('state') ?? '', session_state: 'one', iss: issuer, code }
    for (const [name, value] of Object.entries(parameters)) back.searchParams.set(name, value)
    return back.href
  }

  async function serve(request: IncomingMessage, response: ServerResponse) {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const { pathname: path, searchParams: query } = new URL(request.url ?? '', url)
    const call = { path, query, form: new URLSearchParams(text), headers: request.headers }
    calls.push(call)
    const { status = 200, body, location } = await answer(call)
    const origin = request.headers.origin ?? '*'
    response.writeHead(status, {
      'access-control-allow-origin': origin,
      'content-type': typeof body === 'string' ? 'text/html' : 'application/json',
      ...(location && { location }),
    })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

  return {
    url,
    issuer,
    calls,
    settings,
    authorize: (address: string) => authorize(new URL(address).searchParams),
    callsTo: (end: string) => calls.filter(({ path }) => path.endsWith(end)),
    endSession: () => void (refreshToken = 'ended'),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
