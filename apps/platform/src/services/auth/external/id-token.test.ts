import { base64url, decodeProtectedHeader, exportJWK, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  clientId,
  clientSecret,
  startHostileProvider,
  tokenAnswer,
  type HostileProvider,
} from './testing/hostile-provider.ts'
import { startExternalServer, type ExternalServer, type Form } from './testing/external-server.ts'

let server: ExternalServer
let hostile: HostileProvider
beforeAll(async () => {
  hostile = await startHostileProvider()
  server = await startExternalServer([hostile.provider])
})
afterAll(async () => {
  await server.close()
  await hostile.close()
})
beforeEach(() => hostile.reset())

const now = () => Math.floor(Date.now() / 1000)
const honest: Form = { Code: 'code', Nonce: 'nonce' }

/** The provider answers the code with this ID token, and tells the truth about the same subject. */
async function signInWith(idToken: string | undefined, form: Form = honest) {
  hostile.behaviour.token = async () => tokenAnswer(idToken)
  hostile.behaviour.userInfo = { sub: claimsOf(idToken)['sub'] }
  return server.exchange('hostile', form)
}

function claimsOf(idToken = ''): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString())
  } catch {
    return {}
  }
}

async function expectRefusal(answer: Awaited<ReturnType<typeof signInWith>>) {
  expect(answer.statusCode).toBe(401)
  expect(answer.json()).toMatchObject({ code: 'external_sign_in_failed' })
  const identities = await server.db.selectFrom('auth.identity').select('subject').execute()
  expect(identities.map(({ subject }) => subject)).not.toContain('victim')
}

test('point 22: the check of these tests lets an honest ID token in', async () => {
  expect((await signInWith(await hostile.idToken({ sub: 'honest' }))).statusCode).toBe(200)
  const several = { sub: 'honest', aud: [clientId, 'other'], azp: clientId }
  expect((await signInWith(await hostile.idToken(several))).statusCode).toBe(200)
  const bare = await signInWith(await hostile.idToken({ sub: 'honest' }), { Code: 'code' })
  expect(bare.statusCode).toBe(200)
})

const sub = 'victim'

// With and without a nonce, since the library has two code paths.
test.each([honest, { Code: 'code' }])(
  'point 22: an ID token with wrong claims is refused, for %o',
  async (form) => {
    const wrongClaims: [string, object][] = [
      ['another issuer', { iss: 'https://elsewhere.test' }],
      ['another audience', { aud: 'elsewhere' }],
      ['no audience', { aud: undefined }],
      ['several audiences, for the use of another', { aud: [clientId, 'other'], azp: 'other' }],
      ['an end that has passed', { exp: now() - 60 }],
      ['no end', { exp: undefined }],
      ['a start that is to come', { nbf: now() + 600 }],
      ['an age of a day', { iat: now() - 86_400, exp: now() + 86_400 }],
      ['a birth that is to come', { iat: now() + 86_400, exp: now() + 90_000 }],
      ['no birth', { iat: undefined }],
      ['no subject', { sub: undefined }],
      ['an empty subject', { sub: '' }],
      ['a subject that is no text', { sub: 7 }],
      ['a subject of 256 characters', { sub: 'x'.repeat(256) }],
      ['a subject with a null character', { sub: 'victim\0' }],
    ]
    for (const [name, claims] of wrongClaims) {
      const answer = await signInWith(await hostile.idToken({ sub, ...claims }), form)
      expect([name, answer.statusCode]).toEqual([name, 401])
      await expectRefusal(answer)
    }
  },
)

test.each([
  ['another nonce', { nonce: 'other' }],
  ['no nonce', { nonce: undefined }],
  ['a nonce that is no text', { nonce: ['nonce'] }],
])('point 20: an ID token with %s is refused', async (_name, claims) => {
  await expectRefusal(
    await signInWith(await hostile.idToken({ sub, ...(claims as { nonce?: string }) })),
  )
})

test('point 22: alg none is refused, and so is a missing signature', async () => {
  const claims = { iss: hostile.issuer, aud: clientId, sub, nonce: 'nonce' }
  const unsigned = new UnsecuredJWT(claims).setIssuedAt().setExpirationTime('5m').encode()
  await expectRefusal(await signInWith(unsigned))
  const [header, body] = (await hostile.idToken({ sub })).split('.')
  await expectRefusal(await signInWith(`${header}.${body}.`))
})

test('point 22: a signature by the client secret is refused', async () => {
  const idToken = await new SignJWT({ iss: hostile.issuer, aud: clientId, sub, nonce: 'nonce' })
    .setProtectedHeader({ alg: 'HS256', kid: 'published' })
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(new TextEncoder().encode(clientSecret))
  await expectRefusal(await signInWith(idToken))
})

test('point 22: what a provider announces does not allow none or a shared secret', async () => {
  const announcing = await startHostileProvider('announcing')
  announcing.behaviour.metadata = {
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
  }
  server.add(announcing.provider)
  const claims = { iss: announcing.issuer, aud: clientId, sub, nonce: 'nonce' }
  const unsigned = new UnsecuredJWT(claims).setIssuedAt().setExpirationTime('5m').encode()
  const shared = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(new TextEncoder().encode(clientSecret))
  for (const idToken of [unsigned, shared]) {
    announcing.behaviour.token = async () => tokenAnswer(idToken)
    expect((await server.exchange('announcing', honest)).statusCode).toBe(401)
  }
  announcing.behaviour.token = async () => tokenAnswer(await announcing.idToken())
  expect((await server.exchange('announcing', honest)).statusCode).toBe(200)
  await announcing.close()
})

test('point 22: a signature by a key that the provider has not published is refused', async () => {
  const good = await hostile.idToken({ sub })
  const claims = claimsOf(good)
  const headers = [
    decodeProtectedHeader(good),
    { alg: 'RS256', kid: 'unknown' },
    { alg: 'RS256' },
    { alg: 'RS256', kid: 'published', jku: 'https://attacker.test/jwks' },
  ]
  for (const header of headers) {
    const forged = new SignJWT(claims).setProtectedHeader({ alg: 'RS256', ...header })
    await expectRefusal(await signInWith(await forged.sign(hostile.foreignKey)))
  }
  const { kty, n, e } = await exportJWK(hostile.foreignKey)
  const carried = new SignJWT(claims).setProtectedHeader({ alg: 'RS256', jwk: { kty, n, e } })
  await expectRefusal(await signInWith(await carried.sign(hostile.foreignKey)))
})

test('point 22: an ID token whose claims were changed is refused', async () => {
  const good = await hostile.idToken({ sub: 'honest' })
  const [header, , signature] = good.split('.')
  const changed = base64url.encode(JSON.stringify({ ...claimsOf(good), sub }))
  await expectRefusal(await signInWith(`${header}.${changed}.${signature}`))
})

test('point 22: anything but an ID token is refused', async () => {
  for (const idToken of [undefined, '', 'a.b.c', 'x'.repeat(100_000)])
    await expectRefusal(await signInWith(idToken))
})

test('point 22: user info about another person is refused', async () => {
  hostile.behaviour.token = async () => tokenAnswer(await hostile.idToken({ sub }))
  hostile.behaviour.userInfo = { sub: 'other', email: 'a@identity.test', email_verified: true }
  await expectRefusal(await server.exchange('hostile', honest))
})

test('point 20: a code of another issuer is refused (RFC 9207)', async () => {
  const idToken = await hostile.idToken({ sub })
  await expectRefusal(await signInWith(idToken, { ...honest, Iss: 'https://elsewhere.test' }))
  const bare = { Code: 'code', Iss: 'https://elsewhere.test' }
  await expectRefusal(await signInWith(idToken, bare))
})

test('point 20: a code is used once, by who began, and came back where it was sent', async () => {
  const form = await server.choose('iris')
  const refused = [
    { ...form, CodeVerifier: 'x'.repeat(43) },
    { ...form, CodeVerifier: undefined },
    { ...form, Nonce: 'other' },
    { ...form, Iss: 'https://elsewhere.test' },
    { ...form, Iss: undefined },
  ]
  for (const wrong of refused) {
    // A code is consumed by its first use, right or wrong.
    const { Code = '', Nonce = '', CodeVerifier = '' } = await server.choose('iris')
    const own = { Code, Nonce, CodeVerifier, Iss: form['Iss'] ?? '' }
    const changes = Object.entries(wrong).filter(([name, value]) => form[name] !== value)
    const sent = Object.entries({ ...own, ...Object.fromEntries(changes) })
    const entries = sent.filter((entry): entry is [string, string] => entry[1] !== undefined)
    expect([
      changes,
      (await server.exchange('sample', Object.fromEntries(entries))).statusCode,
    ]).toEqual([changes, 401])
  }
  expect((await server.exchange('sample', form)).statusCode).toBe(200)
  const again = await server.exchange('sample', form)
  expect(again.json()).toMatchObject({ code: 'external_sign_in_failed' })
})

test('point 23: the redirect address is compared exactly, and only the specified parameters are requested', async () => {
  const own = `${server.address}/login/callback`
  const before = hostile.requests.get('/token') ?? 0
  for (const RedirectUrl of [
    `${own}/`,
    `${own}?next=/`,
    `${own}#`,
    own.toUpperCase(),
    own.replace('http:', 'https:'),
    own.replace('http://', 'http://someone@'),
    own.replace('127.0.0.1', '127.0.0.1.attacker.test'),
    `${server.address}/login`,
    `${server.address}/login/callback/../callback`,
    'http://127.0.0.1/login/callback',
    'https://attacker.test/login/callback',
    'login/callback',
    ' ',
  ])
    await expectRefusal(await server.exchange('hostile', { ...honest, RedirectUrl }))
  expect(hostile.requests.get('/token') ?? 0).toBe(before)
  const localhost = own.replace('127.0.0.1', 'localhost')
  const answer = await server.exchange('hostile', { ...honest, RedirectUrl: localhost })
  expect(answer.statusCode).toBe(200)
})

test('point 23: a code that came back to another address of ours is refused by the provider', async () => {
  const form = await server.choose('iris')
  const RedirectUrl = `${server.address.replace('127.0.0.1', 'localhost')}/login/callback`
  await expectRefusal(await server.exchange('sample', { ...form, RedirectUrl }))
})

test('a realm and a broker that are not served here are named as such', async () => {
  const realm = await server.exchange('hostile', { ...honest, Provider: 'other' })
  expect(realm.json()).toMatchObject({ status: 404, code: 'unknown_realm' })
  const broker = await server.exchange('elsewhere', honest)
  expect(broker.json()).toMatchObject({ status: 404, code: 'unknown_broker' })
})
