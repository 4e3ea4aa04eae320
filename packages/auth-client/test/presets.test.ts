import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { oidc, type OidcMetadata, type OidcOptions } from '../src/oidc/index.ts'
import { auth0, entra, keycloak, logto } from '../src/presets.ts'
import { openTab } from './fixtures.ts'

// The requests and answers that each service documents; keycloak.test.ts and openid.test.ts run
// against servers.

afterEach(() => vi.unstubAllGlobals())

const clientId = 'app'
const TENANT = '5f7c9e54-0f5b-4b0e-9a3c-8a9a7c1c8c11'

/** A client whose service answers discovery, and issues tokens with these claims. */
function connect(options: OidcOptions, offered: Partial<OidcMetadata> = {}) {
  openTab()
  const opened: string[] = []
  const page = Object.assign(new URL('https://console.test/'), {
    assign: (to: string | URL) => opened.push(String(to)),
  })
  vi.stubGlobal('location', page)
  const asked: { url: string; form: URLSearchParams }[] = []
  const base = options.issuer.replace('{tenantid}', 'common')
  const metadata = {
    issuer: options.issuer,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    jwks_uri: `${base}/keys`,
    ...offered,
  }
  let answer: Record<string, unknown> = {}
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    const url = input instanceof Request ? input.url : String(input)
    asked.push({ url, form: new URLSearchParams(init?.body as URLSearchParams) })
    return Response.json(url.includes('.well-known') ? metadata : answer)
  }
  const client = oidc({ ...options, fetch, onError: () => {} })
  onTestFinished(() => client.close())

  function answerWith(accessToken: string, claims: Record<string, unknown>) {
    const now = Date.now() / 1000
    answer = {
      access_token: accessToken,
      token_type: 'Bearer',
      id_token: jwt({ aud: clientId, sub: 'ann', iat: now, exp: now + 60, ...claims }),
      refresh_token: 'refresh',
      expires_in: 60,
    }
  }

  async function signIn(accessToken: string, claims: Record<string, unknown>) {
    const start = new URL(await client.startExternalLogin({ hint: 'acme' })).searchParams
    const { issuer } = options
    const iss = issuer.replace('{tenantid}', String(claims['tid']))
    const id = { iss, aud: clientId, nonce: start.get('nonce'), ...claims }
    answerWith(accessToken, id)
    const state = start.get('state') ?? ''
    const isSignedIn = await client.completeExternalLogin(
      `https://console.test/?code=c&state=${state}`,
    )
    return { start: Object.fromEntries(start), isSignedIn }
  }
  return { client, asked, opened, signIn, answerWith }
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const jwt = (claims: object) => `${part({ alg: 'RS256' })}.${part(claims)}.c2ln`
const access = (claims: object) => jwt({ sub: 'ann', exp: Date.now() / 1000 + 600, ...claims })
const sessionOf = (client: ReturnType<typeof oidc>) => {
  const state = client.getState()
  return state.status === 'signedOut' ? null : state.session
}

test('Keycloak: the realm’s address is the issuer', () => {
  expect(keycloak({ url: 'https://id.test/', realm: 'my realm', clientId })).toMatchObject({
    issuer: 'https://id.test/realms/my%20realm',
    clientId,
    rolesClaim: ['realm_access', 'roles'],
  })
  expect(keycloak({ url: 'https://id.test', realm: 'a', clientId, scope: 'openid' }).scope).toBe(
    'openid',
  )
})

test('Auth0 with an audience verifies the access token, with roles in your own claim', async () => {
  const rolesClaim = 'https://acme.test/roles'
  const options = auth0({ domain: 'acme.auth0.test', audience: 'urn:api', clientId, rolesClaim })
  const { client, signIn, asked } = connect(options)
  const { start, isSignedIn } = await signIn(access({ [rolesClaim]: ['editor'] }), {})
  expect(isSignedIn).toBe(true)
  expect(start).toMatchObject({ audience: 'urn:api', connection: 'acme' })
  expect(start['scope']).toContain('offline_access')
  expect(start).not.toHaveProperty('prompt')
  expect(asked[0]?.url).toBe('https://acme.auth0.test/.well-known/openid-configuration')
  expect(sessionOf(client)?.roles).toEqual(['editor'])
})

test('Auth0 without an audience has opaque access tokens, and the ID token counts', async () => {
  const options = auth0({ domain: 'https://acme.auth0.test/', clientId, rolesClaim: 'acme' })
  const { client, signIn } = connect(options)
  expect((await signIn('opaque', { acme: ['reader'] })).isSignedIn).toBe(true)
  const session = sessionOf(client)
  expect(session).toMatchObject({ userId: 'ann', roles: ['reader'] })
  expect(Math.round(((session?.expiresAt ?? 0) - Date.now()) / 10_000)).toBe(6)
  expect(await client.getAuthorization()).toBe('Bearer opaque')
})

test.each([
  ['without an endpoint', {}, 'https://acme.auth0.test/v2/logout?client_id=app&returnTo='],
  [
    'with one',
    { end_session_endpoint: 'https://acme.auth0.test/oidc/logout' },
    'https://acme.auth0.test/oidc/logout?client_id=app&post_logout_redirect_uri=',
  ],
])('the logout of Auth0 %s', async (_, offered, address) => {
  const { client, opened } = connect(auth0({ domain: 'acme.auth0.test', clientId }), offered)
  await client.signOutWithRedirect()
  expect(opened).toEqual([`${address}https%3A%2F%2Fconsole.test%2F`])
})

test('Entra: one tenant', async () => {
  const { client, signIn, asked } = connect(entra({ tenant: TENANT, clientId }))
  const { start, isSignedIn } = await signIn(access({ iss: 'https://graph.test' }), {
    tid: TENANT,
    roles: ['Editor'],
  })
  expect(isSignedIn).toBe(true)
  expect(start['domain_hint']).toBe('acme')
  expect(asked[0]?.url).toContain(`/${TENANT}/v2.0/.well-known/openid-configuration`)
  expect(sessionOf(client)?.roles).toEqual(['Editor'])
})

test('Entra: each token request names the scopes', async () => {
  const scope = 'openid offline_access api://acme/read'
  const { client, signIn, asked, answerWith } = connect(entra({ tenant: TENANT, clientId, scope }))
  const { start } = await signIn(access({}), { tid: TENANT })
  answerWith(access({}), { iss: `https://login.microsoftonline.com/${TENANT}/v2.0`, tid: TENANT })
  expect(await client.refresh()).toBe(true)
  const forms = asked.map(({ form }) => form).filter((form) => form.has('grant_type'))
  expect([start['scope'], ...forms.map((form) => form.get('scope'))]).toEqual([scope, scope, scope])
})

test('Entra: any tenant, but a refresh never leads to another one', async () => {
  const { client, signIn, answerWith } = connect(entra({ tenant: 'common', clientId }))
  await signIn(access({}), { tid: TENANT })
  const tid = '0b8f4c6e-2d0e-4f55-9d57-0d6f3f1f7d4a'
  answerWith(access({}), { iss: `https://login.microsoftonline.com/${tid}/v2.0`, tid })
  expect(await client.refresh()).toBe(false)
  expect(client.getState().status).toBe('signedOut')
})

test('Entra: any tenant, whose ID is in the issuer of each token', async () => {
  const { client, signIn, asked } = connect(entra({ tenant: 'common', clientId }))
  expect((await signIn(access({}), { tid: TENANT })).isSignedIn).toBe(true)
  expect(asked[0]?.url).toContain('/common/v2.0/.well-known/openid-configuration')
  await client.signOut()
  const iss = 'https://login.microsoftonline.com/other/v2.0'
  expect((await signIn(access({}), { tid: TENANT, iss })).isSignedIn).toBe(false)
})

test('Logto: a resource is named in both requests', async () => {
  const resource = 'https://api.test'
  const { signIn, asked } = connect(
    logto({ endpoint: 'https://acme.logto.test/', resource, clientId }),
  )
  const { start, isSignedIn } = await signIn(access({ aud: resource }), {})
  expect(isSignedIn).toBe(true)
  expect(start).toMatchObject({ resource, prompt: 'consent', direct_sign_in: 'acme' })
  expect(asked[0]?.url).toBe('https://acme.logto.test/oidc/.well-known/openid-configuration')
  expect(asked[1]?.form.get('resource')).toBe(resource)
})

test('Logto without a resource: the ID token counts', async () => {
  const { client, signIn } = connect(logto({ endpoint: 'https://acme.logto.test', clientId }))
  expect((await signIn('opaque', { roles: ['editor'] })).isSignedIn).toBe(true)
  expect(sessionOf(client)?.roles).toEqual(['editor'])
})
