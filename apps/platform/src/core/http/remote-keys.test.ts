import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createTokenVerifier, authorize } from './access.ts'
import { remoteKeys } from './remote-keys.ts'

const { privateKey, publicKey } = await generateKeyPair('ES256')
const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }

const tokenOf = (kid: string) =>
  new SignJWT({ provider: 'grove', roles: ['ADMIN'] })
    .setProtectedHeader({ alg: 'ES256', kid, typ: 'at+jwt' })
    .setSubject('user')
    .setIssuer('grove')
    .setAudience('grove')
    .setIssuedAt()
    .setExpirationTime('10m')
    .sign(privateKey)

/** Requests access with the keys that a server returns. */
async function ask(answer: RequestListener, kid = 'one') {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const keys = remoteKeys(`http://127.0.0.1:${port}/jwks`)
  const rules = { kind: 'grove', issuer: 'grove', audience: 'grove' } as const
  const verify = createTokenVerifier({ keys, rules, realm: 'grove', now: Date.now })
  try {
    return await authorize('admin', `Bearer ${await tokenOf(kid)}`, verify)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const answering =
  (status: number, body: string): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)

test('a token is verified with keys from elsewhere', async () => {
  const caller = await ask(answering(200, JSON.stringify({ keys: [jwk] })))
  expect(caller).toMatchObject({ userId: 'user', roles: ['ADMIN'] })
})

test('a token with an unknown key is refused', async () => {
  const asked = ask(answering(200, JSON.stringify({ keys: [jwk] })), 'another')
  await expect(asked).rejects.toMatchObject({ code: 'unauthorized', status: 401 })
})

test.each<[string, RequestListener]>([
  ['an error', answering(502, '<html>Bad gateway</html>')],
  ['no JSON', answering(200, '<html>')],
  ['no keys', answering(200, '{}')],
  ['nothing', (request) => request.socket.destroy()],
])('%s at the key address is a 503, not a refusal that signs people out', async (_, answer) => {
  await expect(ask(answer)).rejects.toMatchObject({
    code: 'keys_unavailable',
    status: 503,
    retryAfter: 5,
  })
})
