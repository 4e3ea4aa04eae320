import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { createAuthClient } from '../src/index.ts'
import { keycloak, oauth } from '../src/presets.ts'

interface Call {
  path: string
  headers: IncomingMessage['headers']
  form: Record<string, string>
}

/** The token endpoint, logout and keys of a Keycloak realm. */
async function startKeycloak() {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256' }
  const calls: Call[] = []
  let serial = 0
  let current = ''
  const issuer = () => `${url()}/realms/acme`

  async function tokens() {
    serial += 1
    current = `refresh ${serial}`
    const accessToken = await new SignJWT({
      typ: 'Bearer',
      azp: 'app',
      jti: String(serial),
      preferred_username: 'ann',
      realm_access: { roles: ['acme-admin'] },
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'k', typ: 'JWT' })
      .setIssuer(issuer())
      .setSubject('ann-id')
      .setIssuedAt()
      .setExpirationTime('5 minutes')
      .sign(privateKey)
    return {
      access_token: accessToken,
      refresh_token: current,
      token_type: 'Bearer',
      expires_in: 300,
    }
  }

  async function answer({ path, form }: Call): Promise<[number, unknown]> {
    if (path.endsWith('/certs')) return [200, { keys: [jwk] }]
    if (path.endsWith('/logout')) return [204, undefined]
    if (form['grant_type'] === 'password' && form['password'] === 'right')
      return [200, await tokens()]
    if (form['grant_type'] === 'refresh_token' && form['refresh_token'] === current) {
      return [200, await tokens()]
    }
    return [400, { error: 'invalid_grant', error_description: 'No' }]
  }

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const path = new URL(request.url ?? '', 'http://x').pathname
    const form = Object.fromEntries(new URLSearchParams(text))
    const call = { path, headers: request.headers, form }
    calls.push(call)
    const [status, body] = await answer(call)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  }
  const server = createServer((request, response) => void serve(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url: url(), calls, endSession: () => (current = 'over') }
}

test('Keycloak: signs in, verifies, refreshes, reads the realm’s roles and signs out', async () => {
  const { url, calls } = await startKeycloak()
  const client = createAuthClient({
    ...keycloak({ url: `${url}/`, realm: 'acme', clientId: 'app' }),
    dashboardRoles: ['acme-admin'],
    adminRoles: ['acme-admin'],
  })
  onTestFinished(() => client.close())
  await expect(client.signIn({ username: 'ann', password: 'wrong' })).rejects.toEqual({
    error: 'invalid_grant',
    error_description: 'No',
  })
  expect(await client.signIn({ username: 'ann', password: 'right' })).toBe(true)
  expect(await client.tokenDetails()).toMatchObject({
    is_valid: true,
    is_admin: true,
    roles: ['acme-admin'],
    user_id: 'ann-id',
  })
  expect(await client.refresh()).toBe(true)
  await client.signOut()
  await expect.poll(() => calls.at(-1)?.path).toMatch(/\/logout$/)
  const endpoint = '/realms/acme/protocol/openid-connect'
  expect(calls.filter(({ path }) => path !== `${endpoint}/certs`)).toMatchObject([
    { path: `${endpoint}/token`, form: { grant_type: 'password', password: 'wrong' } },
    {
      path: `${endpoint}/token`,
      form: { grant_type: 'password', client_id: 'app', username: 'ann', password: 'right' },
    },
    {
      path: `${endpoint}/token`,
      form: { grant_type: 'refresh_token', client_id: 'app', refresh_token: 'refresh 1' },
    },
    { path: `${endpoint}/logout`, form: { client_id: 'app', refresh_token: 'refresh 2' } },
  ])
  // A custom header would cost a preflight that Keycloak refuses.
  for (const { headers } of calls) expect(headers).not.toHaveProperty('api-version')
})

test('OAuth: a refused refresh ends the session, and calls that it does not have are refused', async () => {
  const { url, endSession } = await startKeycloak()
  const client = createAuthClient({
    ...oauth({ tokenUrl: `${url}/token`, clientId: 'app' }),
    onError: () => {},
  })
  onTestFinished(() => client.close())
  await client.signIn({ email: 'ann', password: 'right' })
  expect(client.getState()).toMatchObject({ session: { roles: [], userId: 'ann-id' } })
  endSession()
  expect(await client.refresh()).toBe(false)
  expect(client.getState().status).toBe('signedOut')
  await expect(client.stageAuth()).rejects.toMatchObject({ status: 404 })
})
