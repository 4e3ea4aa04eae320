import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSession } from './session.ts'
import { keysOf } from './configured-keys.ts'
import { createVerifier } from './verify-token.ts'

const ISSUER = 'https://auth.test'

async function makeKey(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  return { kid, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid } as JWK }
}
const [one, two, unpublished] = (await Promise.all(['one', 'two', 'three'].map(makeKey))) as [
  Key,
  Key,
  Key,
]
type Key = Awaited<ReturnType<typeof makeKey>>

const now = () => Math.floor(Date.now() / 1000)

function sign(
  key: { privateKey: CryptoKey | Uint8Array },
  header: Record<string, unknown> = {},
  claims: Record<string, unknown> = {},
) {
  return new SignJWT({ iss: ISSUER, aud: 'grove', iat: now(), exp: now() + 600, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'JWT', ...header })
    .sign(key.privateKey, { crit: { x: false } })
}

/** A verifier with these keys, while they are reachable. */
function verifierOf(published: Key[]) {
  const service = { keys: published.map(({ jwk }) => jwk), page: '', status: 200 }
  const send = vi.fn<typeof fetch>(async () => {
    if (service.status === 0) throw new TypeError('fetch failed')
    const text = service.page || JSON.stringify({ keys: service.keys })
    return new Response(text, { status: service.status })
  })
  const verify = createVerifier(
    { issuer: ISSUER, audience: 'grove' },
    keysOf({ jwksUrl: '/keys' }, { authUrl: 'https://auth.test', fetch: send }),
  )
  const accepts = (accessToken: string) => {
    const session = createSession({ tokenType: 'Bearer', accessToken }, { receivedAt: Date.now() })
    return verify({ ...session, skew: 0 }, Date.now()).then(
      () => true,
      () => false,
    )
  }
  return { service, send, accepts, fetches: () => send.mock.calls.length }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test.each(['ES256', 'ES384', 'RS256', 'EdDSA'])('a token may be signed with %s', async (alg) => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg }
  const { accepts } = verifierOf([{ kid: 'k', privateKey, publicKey, jwk }])
  expect(await accepts(await sign({ privateKey }, { alg, kid: 'k' }))).toBe(true)
})

describe('the keys of a service', () => {
  test('are fetched once, with a time limit, and again after ten minutes', async () => {
    const { accepts, fetches, send, service } = verifierOf([one, two])
    expect(await accepts(await sign(one, { kid: 'one' }))).toBe(true)
    expect(await accepts(await sign(two, { kid: 'two' }))).toBe(true)
    expect(fetches()).toBe(1)
    expect(send.mock.calls[0]?.[1]?.signal).toBeInstanceOf(AbortSignal)
    service.keys = [two.jwk]
    vi.advanceTimersByTime(601_000)
    expect(await accepts(await sign(one, { kid: 'one' }))).toBe(false)
    expect(await accepts(await sign(two, { kid: 'two' }))).toBe(true)
    expect(fetches()).toBe(2)
  })

  test('rotate: a new one is found half a minute after the last fetch', async () => {
    const { accepts, fetches, service } = verifierOf([one])
    expect(await accepts(await sign(one, { kid: 'one' }))).toBe(true)
    service.keys.push(two.jwk)
    vi.advanceTimersByTime(29_000)
    expect(await accepts(await sign(two, { kid: 'two' }))).toBe(false)
    vi.advanceTimersByTime(2000)
    expect(await accepts(await sign(two, { kid: 'two' }))).toBe(true)
    expect(fetches()).toBe(2)
  })

  test.each([
    ['within reach', 200],
    ['out of reach', 0],
    ['answered with an error', 503],
  ])('are not fetched for each made-up key id: %s', async (_, status) => {
    const { accepts, fetches, service } = verifierOf([one])
    expect(await accepts(await sign(one, { kid: 'one' }))).toBe(true)
    service.status = status
    for (let second = 0; second < 120; second++) {
      vi.advanceTimersByTime(1000)
      expect(await accepts(await sign(unpublished, { kid: `made up ${second}` }))).toBe(false)
    }
    expect(fetches()).toBeLessThanOrEqual(5)
    expect(await accepts(await sign(one, { kid: 'one' }))).toBe(true)
  })

  test('that are unreachable later stay as they were', async () => {
    const { accepts, service } = verifierOf([one])
    expect(await accepts(await sign(one, { kid: 'one' }))).toBe(true)
    service.status = 0
    vi.advanceTimersByTime(3600_000)
    expect(await accepts(await sign(one, { kid: 'one' }))).toBe(true)
  })

  test.each([
    ['no connection', { status: 0 }],
    ['an error', { status: 500 }],
    ['a page', { page: '<h1>Sign in to the network</h1>' }],
    ['something else', { page: '{"key":1}' }],
  ])(
    'that cannot be fetched at first (%s) are requested again soon, but not at once',
    async (_, fault) => {
      const { accepts, fetches, service } = verifierOf([one])
      const token = await sign(one, { kid: 'one' })
      Object.assign(service, fault)
      for (let call = 0; call < 20; call++) expect(await accepts(token)).toBe(false)
      expect(fetches()).toBe(1)
      Object.assign(service, { status: 200, page: '' })
      vi.advanceTimersByTime(500)
      expect(await accepts(token)).toBe(true)
      expect(fetches()).toBe(2)
    },
  )

  test('need no name, whether there is one or two', async () => {
    for (const published of [[one], [one, two]]) {
      const { accepts } = verifierOf(published)
      for (const key of published) expect(await accepts(await sign(key))).toBe(true)
      expect(await accepts(await sign(unpublished))).toBe(false)
    }
  })
})

test('a difference of five seconds between clocks refuses no token', async () => {
  const { accepts } = verifierOf([one])
  expect(await accepts(await sign(one, { kid: 'one' }, { nbf: now() + 4 }))).toBe(true)
  expect(await accepts(await sign(one, { kid: 'one' }, { exp: now() - 4 }))).toBe(true)
})

test('an audience may be one of several', async () => {
  const { accepts } = verifierOf([one])
  expect(await accepts(await sign(one, { kid: 'one' }, { aud: ['other', 'grove'] }))).toBe(true)
})

describe('refused is', () => {
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const shared = async () => {
    const pem = await exportSPKI(one.publicKey)
    return { privateKey: new TextEncoder().encode(pem) }
  }
  const bad: [string, () => Promise<string>][] = [
    ['the algorithm none', async () => `${encode({ alg: 'none' })}.${encode({ exp: 9e9 })}.`],
    ['HS256 with the public key', async () => sign(await shared(), { alg: 'HS256', kid: 'one' })],
    ['another issuer', () => sign(one, { kid: 'one' }, { iss: 'https://evil.test' })],
    ['another audience', () => sign(one, { kid: 'one' }, { aud: 'other' })],
    ['no audience', () => sign(one, { kid: 'one' }, { aud: undefined })],
    ['a token that has ended', () => sign(one, { kid: 'one' }, { exp: now() - 10 })],
    ['an old token without an end', () => sign(one, { kid: 'one' }, { iat: 1, exp: undefined })],
    ['a token for later', () => sign(one, { kid: 'one' }, { nbf: now() + 60 })],
    ['an ID token by its type', () => sign(one, { kid: 'one', typ: 'id+jwt' })],
    ['the name of another key', () => sign(unpublished, { kid: 'one' })],
    ['a list of other audiences', () => sign(one, { kid: 'one' }, { aud: ['other', 'grove2'] })],
    ['a critical extension', () => sign(one, { kid: 'one', crit: ['x'], x: 1 })],
    ['a truncated token', async () => (await sign(one, { kid: 'one' })).slice(0, -20)],
    ['a token without its signature', async () => (await sign(one)).replace(/[^.]*$/, '')],
    [
      'changed claims',
      async () => (await sign(one)).replace(/\.[^.]*\./, `.${encode({ exp: 9e9 })}.`),
    ],
    ['a key of its own', () => sign(unpublished, { jwk: unpublished.jwk })],
    ['an address of keys', () => sign(unpublished, { jku: 'https://evil.test/keys', kid: 'x' })],
    [
      'an address of certificates',
      () => sign(unpublished, { x5u: 'https://evil.test/c', kid: 'x' }),
    ],
  ]
  test.each(bad)('%s', async (_, make) => {
    const { accepts, send } = verifierOf([one])
    expect(await accepts(await sign(one, { kid: 'one' }))).toBe(true)
    expect(await accepts(await make())).toBe(false)
    for (const [address] of send.mock.calls) expect(address).toBe('https://auth.test/keys')
  })

  test('a token of a megabyte, at once and without fetching the keys', async () => {
    const { accepts, fetches } = verifierOf([one])
    const huge = await sign(one, { kid: 'one' }, { roles: ['x'.repeat(1_000_000)] })
    vi.useRealTimers()
    const start = performance.now()
    expect(await accepts(huge)).toBe(false)
    expect(performance.now() - start).toBeLessThan(3000)
    expect(fetches()).toBe(0)
  })
})
