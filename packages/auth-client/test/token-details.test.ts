import { exportSPKI, generateKeyPair, importJWK, SignJWT } from 'jose'
import { describe, expect, test, vi } from 'vitest'
import type { AuthClientOptions } from '../src/index.ts'
import { hasDashboardAccess, isDeveloper } from '../src/rules.ts'
import { answer, hold } from './auth-server.ts'
import { credentials, setUp } from './fixtures.ts'

const KEYS = '/.well-known/jwks.json'
const UNVERIFIED = {
  is_admin: false,
  is_developer: false,
  is_expired: true,
  is_valid: false,
  roles: [],
  provider: null,
  user_id: null,
}
const named = { issuer: 'https://auth.test', audience: 'grove' }

async function signedIn(verification: AuthClientOptions['verification']) {
  const house = await setUp()
  const client = house.connect({
    verification: { jwksUrl: KEYS, ...named, ...verification },
  })
  return { ...house, client }
}

/** Signs in with this access token. */
async function holding(accessToken: string, verification: AuthClientOptions['verification'] = {}) {
  const house = await signedIn(verification)
  const token = { tokenType: 'Bearer', accessToken }
  house.server.fail('/api/token/password', answer(200, { token }))
  await house.client.signIn(credentials)
  return house
}

describe('a token that was just issued and whose exp has passed', () => {
  /** Signs in with a token that was issued this many seconds ago and expired an hour ago. */
  async function ended(issued: number, withDate: boolean) {
    const house = await signedIn({})
    const { server, time, client } = house
    const now = Math.floor(time.now / 1000)
    Object.assign(server.settings, { lifetime: -3600, withIssuedAt: false })
    const accessToken = await server.sign({ sub: 'u', iat: now - issued })
    const token = { tokenType: 'Bearer', accessToken, refreshToken: 'r' }
    server.fail('/api/token/password', (_, response) => {
      response.sendDate = withDate
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ token }))
    })
    await client.signIn(credentials)
    return house
  }

  test.each([
    ['hidden', 4200, false],
    ['hidden, and issued now', 0, false],
    ['hidden, and issued in the future', -7200, false],
    ['shown', 4200, true],
  ])('is expired, with the Date of the service %s', async (_, issued, withDate) => {
    const { client, connect } = await ended(issued, withDate)
    expect(await client.tokenDetails()).toMatchObject(UNVERIFIED)
    // Also after it is read from the storage.
    const reloaded = connect({ verification: { jwksUrl: KEYS, ...named } })
    expect(await reloaded.tokenDetails()).toMatchObject(UNVERIFIED)
  })

  test('is expired by the clock of the service, whatever this machine’s shows', async () => {
    for (const ahead of [-2 * 3600, 2 * 3600]) {
      const { client, server, time } = await signedIn({})
      Object.assign(server.settings, { ahead })
      await client.signIn(credentials)
      expect(await client.tokenDetails()).toMatchObject({ is_valid: true, is_expired: false })
      time.now += 601_000
      expect(await client.tokenDetails()).toMatchObject(UNVERIFIED)
    }
  })

  test('is expired by this machine’s clock if no other is known, and not a moment before', async () => {
    const { client, server, time } = await signedIn({})
    server.settings.withDate = false
    await client.signIn(credentials)
    time.now += 590_000
    expect(await client.tokenDetails()).toMatchObject({ is_valid: true, is_expired: false })
    time.now += 11_000
    expect(await client.tokenDetails()).toMatchObject(UNVERIFIED)
  })
})

describe('a verified token', () => {
  test('is described, and the keys are fetched once', async () => {
    const { client, server } = await signedIn({})
    await client.signIn(credentials)
    const details = {
      is_admin: false,
      is_developer: true,
      is_expired: false,
      is_valid: true,
      roles: ['DEVELOPER'],
      provider: 'grove',
      user_id: 'user-a@grove.test',
    }
    expect(await client.tokenDetails()).toEqual(details)
    await client.refresh()
    expect(await client.tokenDetails()).toEqual(details)
    expect(server.callsTo(KEYS)).toHaveLength(1)
  })

  test('may have one role or several', async () => {
    const { server } = await setUp()
    const publicKey = server.publicKey
    const one = await holding(await server.sign({ role: 'ADMIN' }), { publicKey })
    expect(await one.client.tokenDetails()).toMatchObject({
      is_admin: true,
      is_developer: true,
      roles: ['ADMIN'],
    })
    const many = await holding(await server.sign({ roles: ['CUSTOMER', 'beta-developers'] }), {
      publicKey,
    })
    expect(await many.client.tokenDetails()).toMatchObject({ is_admin: false, is_developer: true })
  })

  test('verifies against a key as PEM', async () => {
    const { server } = await setUp()
    const key = await importJWK(server.publicKey, 'ES256', { extractable: true })
    if (key instanceof Uint8Array) throw new Error('not a public key')
    const publicKey = await exportSPKI(key)
    const { client } = await holding(await server.sign({ sub: 'u' }), { publicKey })
    expect(await client.tokenDetails()).toMatchObject({ is_valid: true, user_id: 'u' })
  })

  test.each([2 * 3600, -2 * 3600])('is valid with a clock off by %i seconds', async (ahead) => {
    const { client, server } = await signedIn({})
    server.settings.ahead = ahead
    await client.signIn(credentials)
    expect(await client.tokenDetails()).toMatchObject({ is_valid: true, is_expired: false })
  })

  test('is not described after a sign-out, nor in place of the next user’s', async () => {
    for (const next of [null, 'next@grove.test']) {
      const { client, server } = await signedIn({})
      await client.signIn(credentials)
      const keys = hold()
      server.fail(KEYS, keys.fault)
      const details = client.tokenDetails()
      await keys.reached
      await client.signOut()
      if (next) await client.signIn({ ...credentials, email: next })
      keys.release()
      const user_id = next && `user-${next}`
      expect(await details).toMatchObject({ is_valid: next !== null, user_id })
    }
  })

  test('of the next user is described even if the last one’s could not be verified', async () => {
    const { client, server } = await signedIn({})
    const keys = hold()
    server.fail(KEYS, async (request, response) => {
      await keys.fault(request, response)
      response.destroy()
    })
    await client.signIn(credentials)
    const details = client.tokenDetails()
    await keys.reached
    await client.signIn({ ...credentials, email: 'next@grove.test' })
    keys.release()
    await vi.waitFor(async () => {
      const { is_valid, user_id } = await client.tokenDetails()
      expect([is_valid, user_id]).toEqual([true, 'user-next@grove.test'])
    })
    expect((await details).user_id).not.toBe(`user-${credentials.email}`)
  })

  test('is expired and invalid when its time has passed', async () => {
    const { client, expire } = await signedIn({})
    await client.signIn(credentials)
    expect(await client.tokenDetails()).toMatchObject({ is_valid: true })
    expire()
    expect(await client.tokenDetails()).toEqual(UNVERIFIED)
  })
})

describe('without a verified token', () => {
  test('nothing is claimed: signed out, or nothing to verify with', async () => {
    const { client, connect, errors } = await setUp()
    expect(await client.tokenDetails()).toEqual(UNVERIFIED)
    await client.signIn(credentials)
    expect(errors).toEqual([])
    expect(await client.tokenDetails()).toEqual(UNVERIFIED)
    expect(errors).toEqual([new Error('No token is valid: set `verification`')])
    const misconfigured = connect({ verification: {} })
    expect(await misconfigured.tokenDetails()).toEqual(UNVERIFIED)
    expect(errors).toHaveLength(2)
    expect(client.getState().status).toBe('signedIn')
  })

  test('keys that cannot be fetched are only logged, and requested again', async () => {
    const { client, server, errors } = await signedIn({})
    server.fail(KEYS, answer(500, {}))
    await client.signIn(credentials)
    expect(await client.tokenDetails()).toEqual(UNVERIFIED)
    expect(errors.length).toBeGreaterThan(0)
    expect(client.getState().status).toBe('signedIn')
    await vi.waitFor(async () => {
      expect(await client.tokenDetails()).toMatchObject({ is_valid: true })
    })
    expect(server.callsTo(KEYS)).toHaveLength(2)
  })

  const at = () => Math.floor(Date.now() / 1000)
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const forged = (header: unknown) =>
    `${encode(header)}.${encode({ ...named, iss: named.issuer, aud: 'grove', exp: at() + 60 })}.`

  const bad: [string, (sign: Sign) => string | Promise<string>][] = [
    ['another issuer', (sign) => sign({}, {}, (token) => token.setIssuer('https://evil.test'))],
    ['another audience', (sign) => sign({}, {}, (token) => token.setAudience('other'))],
    ['a time before which it is not valid', (sign) => sign({ nbf: at() + 300 })],
    ['another type', (sign) => sign({}, { typ: 'logout+jwt' })],
    ['no end', (sign) => sign({ exp: undefined })],
    ['a key nobody published', (sign) => sign({}, {}, undefined, 'other key')],
    ['the algorithm none', () => forged({ alg: 'none', typ: 'JWT' })],
    ['a text that is no token', () => 'nonsense'],
    ['the public key as an HMAC secret', (sign) => sign({}, { alg: 'HS256' })],
    ['a key of its own in the header', (sign) => sign({}, { jwk: true }, undefined, 'other key')],
  ]

  type Change = (token: SignJWT) => SignJWT
  type Sign = (
    claims: Record<string, unknown>,
    header?: Record<string, unknown>,
    change?: Change,
    key?: string,
  ) => Promise<string>

  test.each(bad)('a token with %s is invalid', async (name, make) => {
    const own = await generateKeyPair('ES256', { extractable: true })
    const other = await generateKeyPair('ES256', { extractable: true })
    const publicKey = await exportSPKI(own.publicKey)
    const sign: Sign = (claims, header = {}, change = (token) => token, key = 'own') => {
      const { jwk, ...rest } = header
      const alg = header['alg'] === 'HS256' ? 'HS256' : 'ES256'
      const extra = jwk ? { jwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' } } : {}
      const token = new SignJWT({ iat: at(), exp: at() + 600, ...claims })
        .setProtectedHeader({ typ: 'JWT', ...rest, ...extra, alg })
        .setIssuer(named.issuer)
        .setAudience(named.audience)
      const secret = new TextEncoder().encode(publicKey)
      const privateKey = key === 'own' ? own.privateKey : other.privateKey
      return change(token).sign(alg === 'HS256' ? secret : privateKey)
    }
    const good = await holding(await sign({ sub: 'u' }), { publicKey })
    expect(await good.client.tokenDetails()).toMatchObject({ is_valid: true, user_id: 'u' })

    const { client, errors, storage } = await holding(await make(sign), { publicKey })
    expect(await client.tokenDetails()).toEqual(UNVERIFIED)
    expect(errors.length).toBeGreaterThan(0)
    // The session is kept only if the token verifies; one that is expired but otherwise valid stays.
    const mayStay = ['no end', 'a time before which it is not valid'].includes(name)
    expect(client.getState().status).toBe(mayStay ? 'signedIn' : 'signedOut')
    if (!mayStay) {
      expect(client.getState()).toMatchObject({ error: { name: 'InvalidToken' } })
      expect(storage.items.size).toBe(0)
    }
  })

  test('a forged token ends the session on its own after a sign-in, and is not sent', async () => {
    const { server } = await setUp()
    const { client } = await holding(await server.sign({ sub: 'u' }))
    await vi.waitFor(() => expect(client.getState().status).toBe('signedOut'))
    expect(await client.getAuthorization()).toBeNull()
  })

  test('keys that changed since they were fetched end no session', async () => {
    const { client, server } = await signedIn({})
    await client.signIn(credentials)
    expect(await client.tokenDetails()).toMatchObject({ is_valid: true })
    const { privateKey } = await generateKeyPair('ES256')
    const accessToken = await new SignJWT({ iat: at(), exp: at() + 600 })
      .setProtectedHeader({ alg: 'ES256', kid: 'unknown yet' })
      .setIssuer(named.issuer)
      .setAudience(named.audience)
      .sign(privateKey)
    const token = { tokenType: 'Bearer', accessToken, refreshToken: 'r' }
    server.fail('/api/token/refresh', answer(200, { token }))
    await client.refresh()
    // The keys were fetched a moment ago and are not fetched again: it may be a new key.
    expect(await client.tokenDetails()).toEqual(UNVERIFIED)
    expect(client.getState().status).toBe('signedIn')
  })

  test('only asymmetric algorithms can be allowed', async () => {
    const secret = { kty: 'oct', k: Buffer.from('s'.repeat(32)).toString('base64url') }
    const token = await new SignJWT({ exp: at() + 60 })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode('s'.repeat(32)))
    const verification = { publicKey: secret, algorithms: ['HS256'], issuer: undefined }
    const { client } = await holding(token, { ...verification, audience: undefined })
    expect(await client.tokenDetails()).toEqual(UNVERIFIED)
  })

  test('the allowed algorithms can be narrowed, and the type specified', async () => {
    const { server } = await setUp()
    const { publicKey } = server
    const token = await server.sign({})
    const narrowed = await holding(token, { publicKey, algorithms: ['EdDSA'] })
    expect(await narrowed.client.tokenDetails()).toEqual(UNVERIFIED)
    const typed = await holding(token, { publicKey, typ: 'at+jwt' })
    expect(await typed.client.tokenDetails()).toEqual(UNVERIFIED)
    for (const typ of ['at+jwt', 'application/at+jwt', 'application/JWT']) {
      const access = await holding(await server.sign({}, { typ }), { publicKey })
      expect(await access.client.tokenDetails()).toMatchObject({ is_valid: true })
    }
  })
})

test('dashboard access is equality; the developer test is containment, ignoring case', () => {
  const opens = (roles: string[]) => hasDashboardAccess(roles)
  expect([['DEVELOPER'], ['CUSTOMER', 'ADMIN']].every(opens)).toBe(true)
  expect([[], ['CUSTOMER'], ['developer'], ['ADMINS']].some(opens)).toBe(false)
  expect(hasDashboardAccess(['grove-admin'], ['grove-admin'])).toBe(true)
  expect(hasDashboardAccess(['ADMIN'], ['grove-admin'])).toBe(false)
  expect([['developer'], ['Super-Admins'], ['X', 'MapleDeveloper']].every(isDeveloper)).toBe(true)
  expect([[], ['CUSTOMER'], ['adm in']].some(isDeveloper)).toBe(false)
})
