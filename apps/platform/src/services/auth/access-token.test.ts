import {
  base64url,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  SignJWT,
  type JWK,
  type JWTPayload,
} from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startAuthServer, type AuthServer } from './testing/auth-server.ts'

let server: AuthServer
let good: string
beforeAll(async () => {
  server = await startAuthServer()
  good = (await server.account()).token.accessToken
})
afterAll(() => server.close())

const verify = (token: string) => server.app.verifyAccessToken(token)

/** The good token's claims, changed and signed by the service's own key. */
async function signed(claims: JWTPayload, header: object = {}): Promise<string> {
  const { key, kid } = await server.context.keys.signer()
  return new SignJWT({ ...decodeJwt(good), ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...header })
    .sign(key)
}

test('point 17: an access token is ES256, typ at+jwt, for ten minutes, with the claims of a session', async () => {
  expect(decodeProtectedHeader(good)).toEqual({
    alg: 'ES256',
    typ: 'at+jwt',
    kid: expect.any(String),
  })
  const claims = decodeJwt(good)
  expect(claims).toEqual({
    iss: server.platform.config.tokens.issuer,
    aud: server.platform.config.tokens.audience,
    sub: expect.stringMatching(/^[\da-f-]{36}$/),
    provider: 'grove',
    roles: ['CUSTOMER'],
    sid: expect.stringMatching(/^[\da-f-]{36}$/),
    jti: expect.any(String),
    iat: Math.floor(server.platform.now() / 1000),
    exp: (claims.iat ?? 0) + 600,
  })
  expect(await verify(good)).toMatchObject({ userId: claims.sub, sessionId: claims['sid'] })
})

test('point 17: the check of this test signs tokens that are accepted', async () => {
  expect(await verify(await signed({}))).toMatchObject({ roles: ['CUSTOMER'] })
})

test('point 17: alg none is refused', async () => {
  const header = base64url.encode(JSON.stringify({ alg: 'none', typ: 'at+jwt' }))
  await expect(verify(`${header}.${good.split('.')[1]}.`)).rejects.toThrow()
  const withKid = { ...decodeProtectedHeader(good), alg: 'none' }
  const encoded = base64url.encode(JSON.stringify(withKid))
  await expect(verify(`${encoded}.${good.split('.')[1]}.`)).rejects.toThrow()
})

test('point 17: a public key used as an HMAC secret is refused', async () => {
  const { keys } = (await server.get('/.well-known/jwks.json')).json<{ keys: JWK[] }>()
  for (const secret of [JSON.stringify(keys[0]), keys[0]?.x ?? '']) {
    const token = await new SignJWT(decodeJwt(good))
      .setProtectedHeader({ ...decodeProtectedHeader(good), alg: 'HS256' })
      .sign(new TextEncoder().encode(secret.padEnd(32)))
    await expect(verify(token)).rejects.toThrow()
  }
})

test('point 17: a key that comes with the token is not used', async () => {
  const stranger = await generateKeyPair('ES256')
  const jwk = await exportJWK(stranger.publicKey)
  const { kid } = decodeProtectedHeader(good)
  for (const header of [
    { jwk },
    { jwk, kid },
    { jku: 'https://attacker.test/jwks.json' },
    { jku: 'https://attacker.test/jwks.json', kid },
    { x5u: 'https://attacker.test/certificate.pem', kid },
    { kid },
  ]) {
    const token = await new SignJWT(decodeJwt(good))
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', ...header })
      .sign(stranger.privateKey)
    await expect(verify(token)).rejects.toThrow()
  }
})

test.each([
  ['another issuer', { iss: 'elsewhere' }, {}],
  ['another audience', { aud: 'elsewhere' }, {}],
  ['another realm', { provider: 'elsewhere' }, {}],
  ['no realm', { provider: undefined }, {}],
  ['no subject', { sub: undefined }, {}],
  ['an end that has passed', { exp: 1 }, {}],
  ['no end', { exp: undefined }, {}],
  ['a start that is to come', { nbf: 9_999_999_999 }, {}],
  ['the type of an ID token', {}, { typ: 'JWT' }],
  ['no type', {}, { typ: undefined }],
  ['an unknown key id', {}, { kid: 'unknown' }],
  ['no key id', {}, { kid: undefined }],
])('point 18: a token with %s is refused', async (_, claims, header) => {
  await expect(verify(await signed(claims, header))).rejects.toThrow()
})

test('point 18: a token whose claims were changed is refused', async () => {
  const [header, , signature] = good.split('.')
  const claims = base64url.encode(JSON.stringify({ ...decodeJwt(good), roles: ['ADMIN'] }))
  await expect(verify(`${header}.${claims}.${signature}`)).rejects.toThrow()
})

test('point 18: a token is refused from the second in which it ends', async () => {
  const { token } = await server.account()
  server.pass(599_000)
  await verify(token.accessToken)
  server.pass(1000)
  await expect(verify(token.accessToken)).rejects.toThrow()
})

test('point 25: an anonymous token has no roles, no session, no refresh token and ten minutes', async () => {
  const answer = await server.get('/api/token/anonymous')
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['cache-control']).toBe('no-store')
  const { token } = answer.json<{ token: { accessToken: string } }>()
  expect(Object.keys(token).sort()).toEqual(['accessToken', 'tokenType'])
  const claims = decodeJwt(token.accessToken)
  expect(claims).toMatchObject({ provider: 'grove', roles: [] })
  expect(claims).not.toHaveProperty('sid')
  expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(600)
  expect(await verify(token.accessToken)).toMatchObject({ roles: [], sessionId: undefined })
})

test('point 25: anonymous tokens are limited by network', async () => {
  const statuses = []
  for (let i = 0; i < 61; i++)
    statuses.push((await server.get('/api/token/anonymous', '192.0.2.1')).statusCode)
  expect(statuses).toEqual([...Array(60).fill(200), 429])
})

test('point 25: signing in after an anonymous token starts a session of its own', async () => {
  const anonymous = (await server.get('/api/token/anonymous')).json<{
    token: { accessToken: string }
  }>()
  const { token } = await server.account()
  expect(decodeJwt(token.accessToken).sub).not.toBe(decodeJwt(anonymous.token.accessToken).sub)
})
