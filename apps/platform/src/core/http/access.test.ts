import {
  base64url,
  exportSPKI,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type JWTPayload,
} from 'jose'
import type { FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TokenRules } from './token-rules.ts'
import { startTestServer, type TestServer } from '../testing/test-platform.ts'
import { createTokenVerifier } from './access.ts'
import { buildApp } from './app.ts'

const rsa = await generateKeyPair('RS256', { extractable: true })
const ec = await generateKeyPair('ES256', { extractable: true })
const rsaPem = await exportSPKI(rsa.publicKey)
const ecPem = await exportSPKI(ec.publicKey)

const issuer = 'https://id.example.com/realms/grove'
const seconds = () => Math.floor(Date.now() / 1000)

let server: TestServer
const apps: FastifyInstance[] = []
beforeAll(async () => {
  server = await startTestServer([])
})
afterAll(async () => {
  await Promise.all(apps.map((app) => app.close()))
  await server.close()
})

/** A process without an authentication service, which knows one public key. */
async function verifying(publicKey: string, tokens: TokenRules): Promise<FastifyInstance> {
  const config = { ...server.platform.config, tokens: { ...tokens, publicKey } }
  const app = await buildApp({ ...server.platform, config }, [])
  apps.push(app)
  return app
}

const ask = (app: FastifyInstance, token: string) =>
  app.inject({ url: '/api/user/info', headers: { authorization: `Bearer ${token}` } })

const sign = (claims: JWTPayload, header: object, key: CryptoKey | Uint8Array) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', ...header }).sign(key)

describe('tokens of another service', () => {
  const anyone: TokenRules = { kind: 'foreign', issuer: undefined, audience: undefined }
  const checked: TokenRules = { kind: 'foreign', issuer, audience: 'grove-console' }
  const header = { typ: 'JWT', kid: 'rT2xO' }
  const claims = () => ({
    exp: seconds() + 300,
    iat: seconds(),
    jti: 'b3f0a2',
    iss: issuer,
    aud: ['grove-console', 'account'],
    sub: 'f:2a:vera',
    typ: 'Bearer',
    azp: 'grove-console',
    sid: 'c1',
    acr: '1',
    scope: 'openid profile',
    preferred_username: 'vera',
    provider: 'grove',
    roles: ['DEVELOPER', 'offline_access'],
  })
  let open: FastifyInstance
  let strict: FastifyInstance
  beforeAll(async () => {
    open = await verifying(rsaPem, anyone)
    strict = await verifying(rsaPem, checked)
  })

  test.each<[string, object]>([
    ['u', { sub: undefined, user_id: 'u', email: 'e' }],
    ['vera', { sub: undefined, email: 'e' }],
    ['e', { sub: undefined, preferred_username: undefined, email: 'e' }],
  ])('without sub belongs to %s', async (userId, change) => {
    const answer = await ask(open, await sign({ ...claims(), ...change }, header, rsa.privateKey))
    expect(answer.json()).toMatchObject({ user_id: userId })
  })

  test('without a user is refused, and the response says why', async () => {
    const nobody = { ...claims(), sub: undefined, preferred_username: undefined }
    const answer = await ask(open, await sign(nobody, header, rsa.privateKey))
    expect(answer.statusCode).toBe(401)
    expect(answer.json<{ detail: string }>().detail).toMatch(/does not say who the user is/)
  })

  test('with its roles elsewhere is read as the settings say', async () => {
    const app = await verifying(rsaPem, { ...anyone, rolesClaim: ['realm_access', 'roles'] })
    const roles = { roles: undefined, realm_access: { roles: ['ADMIN'] } }
    const answer = await ask(app, await sign({ ...claims(), ...roles }, header, rsa.privateKey))
    expect(answer.json()).toMatchObject({ is_admin: true, roles: ['ADMIN'] })
  })

  test.each<[string[], string[]]>([
    [
      ['acme-admin', 'offline_access'],
      ['offline_access', 'acme-admin', 'ADMIN'],
    ],
    [['acme-dev'], ['acme-dev', 'DEVELOPER']],
    [['ADMIN', 'DEVELOPER'], []],
  ])('one with the roles %j has Grove’s where the settings name them', async (roles, expected) => {
    const rules = { ...anyone, adminRoles: ['acme-admin'], developerRoles: ['acme-dev'] }
    const app = await verifying(rsaPem, rules)
    const answer = await ask(app, await sign({ ...claims(), roles }, header, rsa.privateKey))
    const { roles: found, is_admin } = answer.json<{ roles: string[]; is_admin: boolean }>()
    expect(found.toSorted()).toEqual(expected.toSorted())
    expect(is_admin).toBe(expected.includes('ADMIN'))
  })

  test('in Keycloak’s format is accepted, with a list of roles or a single one', async () => {
    for (const app of [open, strict]) {
      const list = await ask(app, await sign(claims(), header, rsa.privateKey))
      expect(list.json()).toMatchObject({
        is_valid: true,
        is_developer: true,
        is_admin: false,
        provider: 'grove',
        user_id: 'f:2a:vera',
      })
      const single = { ...claims(), roles: undefined, role: 'ADMIN' }
      const answer = await ask(app, await sign(single, header, rsa.privateKey))
      expect(answer.json()).toMatchObject({ is_admin: true, roles: ['ADMIN'] })
    }
  })

  test.each<[string, object, object]>([
    ['without iat', { iat: undefined }, {}],
    ['without a typ of any kind', { typ: undefined }, { typ: undefined }],
    ['of typ at+jwt', { typ: undefined }, { typ: 'at+jwt' }],
    ['that never ends for all practical purposes', { exp: 1e300 }, {}],
  ])('one %s is accepted', async (_, change, head) => {
    const token = await sign({ ...claims(), ...change }, { ...header, ...head }, rsa.privateKey)
    expect((await ask(open, token)).statusCode).toBe(200)
  })

  test.each<[string, object, object]>([
    ['an ID token', { typ: 'ID' }, {}],
    ['an ID token, known by its nonce', { typ: undefined, nonce: 'n' }, {}],
    ['an ID token, known by its at_hash', { typ: undefined, at_hash: 'h' }, {}],
    ['a refresh token', { typ: 'Refresh' }, {}],
    ['an offline token', { typ: 'Offline' }, {}],
    ['a logout token', { typ: 'Logout' }, {}],
    ['a logout token, known by its events', { typ: undefined, events: {} }, { typ: 'logout+jwt' }],
    ['a proof of possession', { typ: undefined }, { typ: 'dpop+jwt' }],
  ])('point 18: %s signed by the same key is no access token', async (_, change, head) => {
    const token = await sign({ ...claims(), ...change }, { ...header, ...head }, rsa.privateKey)
    expect((await ask(open, token)).statusCode).toBe(401)
  })

  test.each<[string, object]>([
    ['of another issuer', { iss: 'https://id.example.com/realms/other' }],
    ['without an issuer', { iss: undefined }],
    ['for another audience', { aud: 'account' }],
    ['without an audience', { aud: undefined }],
  ])('point 18: one %s is refused where issuer and audience are set', async (_, change) => {
    const token = await sign({ ...claims(), ...change }, header, rsa.privateKey)
    expect((await ask(strict, token)).statusCode).toBe(401)
    expect((await ask(open, token)).statusCode).toBe(200)
  })

  test.each<[string, object]>([
    ['of another realm', { provider: 'other' }],
    ['without a realm', { provider: undefined }],
    ['that has ended', { exp: 1 }],
    ['without an end', { exp: undefined }],
    ['that begins later', { nbf: seconds() + 3600 }],
    ['without a user', { sub: undefined, preferred_username: undefined }],
    ['whose subject is no text', { sub: 7, preferred_username: '' }],
  ])('point 18: one %s is refused', async (_, change) => {
    const token = await sign({ ...claims(), ...change }, header, rsa.privateKey)
    expect((await ask(open, token)).statusCode).toBe(401)
  })

  test('point 17: the one public key may be RSA or EC; a token by the other kind is refused', async () => {
    const byEc = await verifying(ecPem, anyone)
    const [rs256, es256] = [
      await sign(claims(), header, rsa.privateKey),
      await sign(claims(), { ...header, alg: 'ES256' }, ec.privateKey),
    ]
    expect((await ask(open, rs256)).statusCode).toBe(200)
    expect((await ask(open, es256)).statusCode).toBe(401)
    expect((await ask(byEc, es256)).statusCode).toBe(200)
    expect((await ask(byEc, rs256)).statusCode).toBe(401)
  })

  test('point 17: the public key as an HMAC secret signs nothing', async () => {
    for (const [app, pem] of [
      [open, rsaPem],
      [await verifying(ecPem, anyone), ecPem],
    ] as const)
      for (const secret of [pem, pem.trim(), pem.replaceAll(/-----[^-]+-----|\s/g, '')])
        for (const alg of ['HS256', 'HS384', 'HS512']) {
          const token = await sign(claims(), { ...header, alg }, Buffer.from(secret))
          expect((await ask(app, token)).statusCode).toBe(401)
        }
  })
})

describe('our own tokens, at a call', () => {
  const rules: TokenRules = { kind: 'grove', issuer: 'grove', audience: 'grove' }
  const header = { alg: 'ES256', typ: 'at+jwt', kid: 'k' }
  const claims = () => ({
    iss: 'grove',
    aud: 'grove',
    sub: 'user',
    provider: 'grove',
    roles: ['ADMIN'],
    iat: seconds(),
    exp: seconds() + 600,
  })
  const part = (value: unknown) => base64url.encode(JSON.stringify(value))
  let app: FastifyInstance
  let good: string
  beforeAll(async () => {
    app = await verifying(ecPem, rules)
    good = await sign(claims(), header, ec.privateKey)
  })

  test('the token that the following ones are derived from is accepted', async () => {
    expect((await ask(app, good)).json()).toMatchObject({ is_admin: true, user_id: 'user' })
  })

  test.each<[string, object, object]>([
    ['a foreign issuer', { iss: 'https://elsewhere.test' }, {}],
    ['a foreign audience', { aud: ['elsewhere'] }, {}],
    ['a stale iat and a late end', { iat: seconds() - 3600 }, {}],
    ['an iat of 1970', { iat: 0 }, {}],
    ['an iat to come', { iat: seconds() + 3600, exp: seconds() + 4000 }, {}],
    ['an iat that is text', { iat: '0' }, {}],
    ['no iat', { iat: undefined }, {}],
    ['a life of a year', { exp: seconds() + 31_536_000 }, {}],
    ['an end that is text', { exp: '9999999999' }, {}],
    ['an end beyond numbers', { exp: 1e308 }, {}],
    ['the typ of an ID token', {}, { typ: 'JWT' }],
    ['an unknown typ', {}, { typ: 'at+jwt;x' }],
    ['no typ', {}, { typ: undefined }],
    ['an extension that must be understood', {}, { crit: ['exp'], exp: 1 }],
  ])('point 18: one with %s is refused', async (_, change, head) => {
    const key = ec.privateKey
    const token = await new SignJWT({ ...claims(), ...change })
      .setProtectedHeader({ ...header, ...head })
      .sign(key, { crit: { exp: true } })
    expect((await ask(app, token)).json()).toMatchObject({ status: 401, code: 'unauthorized' })
  })

  test('point 17: alg none is refused, however it is spelt', async () => {
    const payload = good.split('.')[1]
    for (const alg of ['none', 'None', 'NONE', 'nOnE', '', null, 0])
      for (const signature of ['', good.split('.')[2]]) {
        const answer = await ask(app, `${part({ ...header, alg })}.${payload}.${signature}`)
        expect([alg, answer.statusCode]).toEqual([alg, 401])
      }
  })

  test('point 18: a token cut short, or with a part more, is refused at every length', async () => {
    for (let length = 0; length < good.length; length += 7)
      expect((await ask(app, good.slice(0, length))).statusCode).toBe(401)
    for (const token of [`${good}.`, `${good}.${good}`, `.${good}`, `${good}=`, good.repeat(2)])
      expect((await ask(app, token)).statusCode).toBe(401)
  })

  test('point 18: anything inside a token that is not JSON, or not an object, is refused', async () => {
    const [head = '', payload = '', signature = ''] = good.split('.')
    for (const text of [
      '',
      '{',
      'null',
      '[]',
      '"x"',
      '{"alg":"ES256"',
      '\u0000',
      '{"a":'.repeat(500),
    ])
      for (const token of [
        `${base64url.encode(text)}.${payload}.${signature}`,
        `${head}.${base64url.encode(text)}.${signature}`,
      ])
        expect((await ask(app, token)).statusCode).toBe(401)
    for (const value of [null, [], 'x', 1, { roles: { length: 1e9 } }]) {
      const bytes = new TextEncoder().encode(`${part(header)}.${part(value)}`)
      const signed = await crypto.subtle.sign(
        { name: 'ECDSA', hash: 'SHA-256' },
        ec.privateKey,
        bytes,
      )
      const token = `${part(header)}.${part(value)}.${base64url.encode(new Uint8Array(signed))}`
      expect((await ask(app, token)).statusCode).toBe(401)
    }
  })

  test('point 18: roles that are not texts grant none', async () => {
    const roles = [1, null, { admin: true }, ['ADMIN']]
    const token = await sign({ ...claims(), roles, role: ['ADMIN'] }, header, ec.privateKey)
    expect((await ask(app, token)).json()).toMatchObject({ roles: [], is_admin: false })
  })

  test('huge claims are refused by the size of the header, or read, but cause no fault of ours', async () => {
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const statusOf = (token: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { authorization: `Bearer ${token}` }
        request({ port, path: '/api/user/info', headers }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        })
          .on('error', reject)
          .end()
      })
    for (const [length, statuses] of [
      [4_000, [200]],
      [60_000, [431]],
      [1_000_000, [431]],
    ] as const) {
      const token = await sign({ ...claims(), x: 'x'.repeat(length) }, header, ec.privateKey)
      const status = await statusOf(token).catch((error: NodeJS.ErrnoException) => error.code)
      // The server hangs up on an endless header.
      expect([...statuses, 'ECONNRESET', 'EPIPE']).toContain(status)
      expect((await ask(app, good)).statusCode).toBe(200)
    }
  })

  test('point 19: a token is no longer cached after half a minute, when its key may have been retired', async () => {
    let now = Date.now()
    const keys = await generateKeyPair('ES256')
    let isRetired = false
    const verify = createTokenVerifier({
      keys: () => {
        if (isRetired) throw new Error('no such key')
        return keys.publicKey
      },
      rules,
      realm: 'grove',
      now: () => now,
    })
    const token = await sign(claims(), header, keys.privateKey)
    await verify(token)
    isRetired = true
    await verify(token)
    now += 30_000
    await expect(verify(token)).rejects.toThrow('no such key')
  })
})
