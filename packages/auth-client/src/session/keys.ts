import { isRecord } from './jws.ts'
import type { Claims } from './token.ts'

// Always imported dynamically: only the verification needs it.

interface Algorithm {
  /** Type and curve of its keys (RFC 7518 §6, RFC 8037 §2). */
  kty: string
  crv?: string
  /** For importing a key and for verifying with it; each ignores the other's fields. */
  crypto: { name: string; namedCurve?: string; hash?: string }
}

const ecdsa = (crv: string, hash: string): Algorithm => ({
  kty: 'EC',
  crv,
  crypto: { name: 'ECDSA', namedCurve: crv, hash },
})

/** Asymmetric only: with HS256 a public key would be accepted as the secret. */
export const algorithms: Readonly<Record<string, Algorithm>> = {
  ES256: ecdsa('P-256', 'SHA-256'),
  ES384: ecdsa('P-384', 'SHA-384'),
  EdDSA: { kty: 'OKP', crv: 'Ed25519', crypto: { name: 'Ed25519' } },
  RS256: { kty: 'RSA', crypto: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } },
}

/** RFC 7518 §3.3. */
const minRsaBits = 2048

// Milliseconds: how long keys are used, when an unknown one is looked up again at the earliest, how
// long the service may take, and how long a failure is repeated instead of fetching again.
const LIFETIME = 600_000
const COOLDOWN = 30_000
const TIMEOUT = 5000
const PAUSE = 500

export interface Keys {
  /** Keys that a token with this header may be signed with; none if there is no such key. */
  find: (header: Claims & { alg: string }) => Promise<CryptoKey[]>
  /** Fetches the keys unless that was done a moment ago; whether new ones arrived since `start`. */
  renew: (start: number) => Promise<boolean>
}

/**
 * The keys at an address (RFC 7517). The last ones are kept if they cannot be fetched: known tokens
 * keep verifying, and a token with an unknown key does not trigger another fetch right away. Without
 * earlier keys it fails, and repeats that failure for a moment.
 */
export function remoteKeys(find: () => string | Promise<string>, send: typeof fetch): Keys {
  let keys: readonly Claims[] | null = null
  /** When keys were last requested, successfully or not, and when the service last returned any. */
  let lookedAt = -Infinity
  let givenAt = -1
  let pending: Promise<void> | null = null
  let failure: { error: unknown; at: number } | null = null
  const imported = new WeakMap<Claims, Promise<CryptoKey>>()

  async function load(): Promise<void> {
    if (failure !== null && performance.now() - failure.at < PAUSE) throw failure.error
    try {
      keys = await fetchKeys(await find(), send)
      givenAt = performance.now()
    } catch (error) {
      if (keys === null) {
        failure = { error, at: performance.now() }
        throw error
      }
    }
    lookedAt = Date.now()
  }

  const reload = (): Promise<void> => {
    pending ??= load().finally(() => {
      pending = null
    })
    return pending
  }
  const isWithin = (limit: number) => Date.now() < lookedAt + limit

  const importOnce = (jwk: Claims, alg: string) => {
    const key = imported.get(jwk) ?? importJwk(jwk, alg)
    imported.set(jwk, key)
    return key
  }

  return {
    async find(header) {
      if (keys === null || !isWithin(LIFETIME)) await reload()
      let fitting = keys?.filter((key) => fits(key, header)) ?? []
      if (fitting.length === 0 && !isWithin(COOLDOWN)) {
        await reload()
        fitting = keys?.filter((key) => fits(key, header)) ?? []
      }
      const made = fitting.map((key) => importOnce(key, header.alg))
      if (made.length < 2) return Promise.all(made)
      // A broken key must not prevent the others from being tried.
      const settled = await Promise.allSettled(made)
      return settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    },
    async renew(start) {
      if (!isWithin(COOLDOWN)) await reload()
      return givenAt >= start
    },
  }
}

async function fetchKeys(url: string, send: typeof fetch): Promise<readonly Claims[]> {
  const response = await send(url, {
    headers: { accept: 'application/json, application/jwk-set+json' },
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT),
  })
  if (!response.ok) throw new Error(`The keys were answered with ${response.status}`)
  const set: unknown = await response.json().catch((error: unknown) => {
    // Probably an HTML page; a broken connection keeps its own error.
    if (!(error instanceof SyntaxError)) throw error
  })
  if (!isRecord(set) || !Array.isArray(set['keys']) || !set['keys'].every(isRecord))
    throw new Error('The keys were not answered with a JSON Web Key Set')
  return set['keys']
}

/** A token may not name its key; a key may name its algorithm and use. */
export function fits(key: Claims, { alg, kid }: Claims & { alg: string }): boolean {
  const { kty, crv } = algorithms[alg] ?? {}
  const { use = 'sig', key_ops: operations = ['verify'] } = key
  return (
    key['kty'] === kty &&
    (crv === undefined || key['crv'] === crv) &&
    (kid === undefined || key['kid'] === kid) &&
    (key['alg'] === undefined || key['alg'] === alg) &&
    use === 'sig' &&
    Array.isArray(operations) &&
    operations.includes('verify')
  )
}

export async function importJwk(jwk: Claims, alg: string): Promise<CryptoKey> {
  if ('d' in jwk || 'k' in jwk) throw new Error('A key to verify with is not a public one')
  const { kty, crv, x, y, n, e } = jwk as JsonWebKey
  const known = { kty, crv, x, y, n, e }
  const given = Object.entries(known).filter(([, value]) => value !== undefined)
  const key = Object.fromEntries(given) as JsonWebKey
  return checked(await crypto.subtle.importKey('jwk', key, cryptoOf(alg), false, ['verify']))
}

export function cryptoOf(alg: string): Algorithm['crypto'] {
  const algorithm = algorithms[alg]
  if (!algorithm) throw new Error(`The algorithm ${alg} is not allowed`)
  return algorithm.crypto
}

export function checked(key: CryptoKey): CryptoKey {
  const { modulusLength = minRsaBits } = key.algorithm as Partial<RsaHashedKeyAlgorithm>
  if (modulusLength < minRsaBits) throw new Error(`An RSA key has fewer than ${minRsaBits} bits`)
  return key
}
