import {
  base64url,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  importJWK,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose'
import { randomInt } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { VerificationOptions } from '../types.ts'
import { createSession } from './session.ts'
import { keysOf } from './configured-keys.ts'
import { createVerifier, InvalidToken } from './verify-token.ts'

const now = () => Math.floor(Date.now() / 1000)
const claims = () => ({ iss: 'https://auth.test', aud: 'grove', iat: now(), exp: now() + 600 })
const algorithms = ['ES256', 'EdDSA', 'RS256']

async function keyOf(alg: string) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { alg, privateKey, publicKey, jwk: await exportJWK(publicKey) }
}
const keys = await Promise.all(algorithms.map(keyOf))

const sign = ({ alg, privateKey }: (typeof keys)[number], payload: object = {}) =>
  new SignJWT({ ...claims(), ...payload }).setProtectedHeader({ alg, typ: 'JWT' }).sign(privateKey)

/** The result of a verification: the token's claims, or why it is refused. */
async function verify(accessToken: string, options: VerificationOptions) {
  const verifier = createVerifier(
    { issuer: 'https://auth.test', audience: 'grove', ...options },
    keysOf(options, {
      authUrl: 'https://auth.test',
      fetch: () => Promise.reject(new TypeError('no network')),
    }),
  )
  const session = createSession({ tokenType: 'Bearer', accessToken }, { receivedAt: Date.now() })
  return verifier({ ...session, skew: 0 }, Date.now()).catch((error: Error) => error)
}

/** The keys at an address. */
const published = (...jwks: JWK[]) => {
  const verifier = createVerifier(
    {},
    keysOf(
      { jwksUrl: '/keys' },
      { authUrl: 'https://auth.test', fetch: async () => Response.json({ keys: jwks }) },
    ),
  )
  return (accessToken: string) => {
    const session = createSession({ tokenType: 'Bearer', accessToken }, { receivedAt: Date.now() })
    return verifier({ ...session, skew: 0 }, Date.now()).catch((error: Error) => error)
  }
}

describe.each(keys)('with $alg a token', (key) => {
  test('verifies against the key as PEM, as JWK and at an address, and against no other', async () => {
    const token = await sign(key, { sub: 'Åsa' })
    const other = await keyOf(key.alg)
    const pem = await exportSPKI(key.publicKey)
    expect(await verify(token, { publicKey: pem })).toMatchObject({ sub: 'Åsa' })
    expect(await verify(token, { publicKey: key.jwk })).toMatchObject({ sub: 'Åsa' })
    expect(await published(other.jwk, key.jwk)(token)).toMatchObject({ sub: 'Åsa' })
    expect(await verify(token, { publicKey: other.jwk })).toBeInstanceOf(InvalidToken)
    for (const wrong of keys.filter(({ alg }) => alg !== key.alg))
      expect(await verify(token, { publicKey: wrong.jwk })).toBeInstanceOf(Error)
  })

  test('uses no key that is meant for something else', async () => {
    const token = await sign(key)
    for (const member of [
      { use: 'enc' },
      { key_ops: ['sign'] },
      { key_ops: 'verify' },
      { alg: 'PS256' },
      { kid: 'other', kty: 'oct' },
    ]) {
      const jwk = { ...key.jwk, ...member } as JWK
      expect(await published(jwk)(token), JSON.stringify(member)).toBeInstanceOf(Error)
      // It does not prevent other keys from being used.
      expect(await published(jwk, key.jwk)(token)).toMatchObject({ aud: 'grove' })
    }
  })

  test('uses no private key', async () => {
    const jwk = await exportJWK(key.privateKey)
    expect(await verify(await sign(key), { publicKey: jwk })).toBeInstanceOf(Error)
    expect(await published(jwk)(await sign(key))).toBeInstanceOf(Error)
  })
})

test('an RSA key of 1024 bits is too short', async () => {
  const made = await crypto.subtle.generateKey(
    {
      name: 'RSASSA-PKCS1-v1_5',
      hash: 'SHA-256',
      modulusLength: 1024,
      publicExponent: new Uint8Array([1, 0, 1]),
    },
    true,
    ['sign', 'verify'],
  )
  const head = base64url.encode(JSON.stringify({ alg: 'RS256' }))
  const signed = `${head}.${base64url.encode(JSON.stringify(claims()))}`
  const signature = await crypto.subtle.sign(
    'RSASSA-PKCS1-v1_5',
    made.privateKey,
    new TextEncoder().encode(signed),
  )
  const token = `${signed}.${base64url.encode(new Uint8Array(signature))}`
  const publicKey = (await crypto.subtle.exportKey('jwk', made.publicKey)) as JWK
  expect(await verify(token, { publicKey })).toBeInstanceOf(Error)
})

test('time claims that are not numbers make a token invalid', async () => {
  const [key] = keys
  if (!key) throw new Error('There is no key.')
  for (const payload of [{ exp: '9999999999' }, { nbf: 'now' }, { iat: null }])
    expect(
      await verify(await sign(key, payload as object), { publicKey: key.jwk }),
      JSON.stringify(payload),
    ).toBeInstanceOf(InvalidToken)
})

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=.+/ \n"{}é'
const pick = (text: string) => text[randomInt(text.length)] ?? ''

/** A token with one to three small changes. */
function changed(token: string): string {
  let text = token
  for (let left = randomInt(1, 4); left > 0; left -= 1) {
    const at = randomInt(text.length)
    const end = at + randomInt(3)
    text = text.slice(0, at) + (randomInt(2) ? pick(alphabet) : '') + text.slice(end)
  }
  return text
}

/** A token with another header or other claims, signed again. */
async function resigned(key: (typeof keys)[number]): Promise<string> {
  const values = [undefined, null, 0, -1, 1.5, 9e15, '', 'JWT', 'grove', 'ES256', true, [], {}, [1]]
  const value = () => values[randomInt(values.length)]
  const names = ['iss', 'aud', 'exp', 'nbf', 'iat', 'sub']
  const payload = { ...claims(), [names[randomInt(names.length)] ?? '']: value() }
  const header = { alg: key.alg, typ: 'JWT', ...(randomInt(3) === 0 && { typ: value() }) }
  return new SignJWT(payload).setProtectedHeader(header as never).sign(key.privateKey)
}

test(
  'tokens that jose refuses are refused, and those it accepts are accepted',
  { timeout: 60_000 },
  async () => {
    const counts = { taken: 0, refused: 0 }
    for (const key of keys) {
      const joseKey = await importJWK(key.jwk, key.alg)
      for (let round = 0; round < 200; round += 1) {
        const isWhole = round % 2 === 0
        const token = isWhole ? await resigned(key) : changed(await sign(key))
        const theirs = await jwtVerify(token, joseKey, {
          algorithms,
          issuer: 'https://auth.test',
          audience: 'grove',
          requiredClaims: ['exp'],
          clockTolerance: 5,
        }).catch((error: Error) => error)
        const ours = await verify(token, { publicKey: key.jwk })
        const seen = `${token}\n${inspect(theirs)}\n${inspect(ours)}`
        if (theirs instanceof Error) {
          counts.refused += 1
          expect(ours, seen).toBeInstanceOf(Error)
        } else if (isWhole && [undefined, 'JWT'].includes(theirs.protectedHeader.typ)) {
          // jose ignores white space in a part, and does not check the type.
          counts.taken += 1
          expect(ours, seen).toEqual(theirs.payload)
        }
      }
    }
    expect(counts.taken).toBeGreaterThan(25)
    expect(counts.refused).toBeGreaterThan(250)
  },
)
