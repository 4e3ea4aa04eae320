import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  importJWK,
  importSPKI,
  type JSONWebKeySet,
  jwtVerify,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from 'jose'
import type { VerificationOptions } from '../types.ts'
import type { Session } from './session.ts'
import type { Claims } from './token.ts'

// Always imported dynamically, because it pulls in the verification library.

// Asymmetric only: with HS256 a public key would be accepted as the secret.
const ALGORITHMS = ['ES256', 'EdDSA', 'RS256']
const TYPES = ['jwt', 'at+jwt']

// Seconds between issue and receipt that the measured skew cannot show.
const TOLERANCE = 5

// No request header can carry a longer one.
const LONGEST_TOKEN = 65_536

// Milliseconds without another attempt after fetching the keys failed.
const PAUSE = 500

/** A token that will never verify: forged, of another service, or not an access token. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken'
}

/** Resolves to the claims of a session whose access token verifies; rejects otherwise. */
export type VerifyToken = (session: Session, now: number) => Promise<Claims>

interface Keys {
  find: JWTVerifyGetKey
  /** Fetches the keys unless that was done a moment ago; whether new ones arrived since `start`. */
  renew: (start: number) => Promise<boolean>
}

/** Creates the verifier of access tokens; the first call fetches the keys. */
export function createVerifier(
  options: VerificationOptions,
  context: { authUrl: string; fetch: typeof fetch },
): VerifyToken {
  const algorithms = (options.algorithms ?? ALGORITHMS).filter((name) => ALGORITHMS.includes(name))
  const keys = keysOf(options, context)

  async function verify(session: Session, now: number): Promise<Claims> {
    const { token, skew, known = Math.max(skew, 0) } = session
    // If only the token suggests that the clock is fast, the clock is trusted: a token must not argue
    // for itself.
    if (token.accessToken.length > LONGEST_TOKEN) throw new InvalidToken('The token is too long')
    const { payload, protectedHeader } = await verifyWithAny(token.accessToken, keys.find, {
      algorithms,
      issuer: options.issuer,
      audience: options.audience,
      typ: options.typ,
      requiredClaims: ['exp'],
      clockTolerance: TOLERANCE,
      currentDate: new Date(now + known),
    })
    const { typ = 'JWT' } = protectedHeader
    // RFC 7515 §4.1.9: "application/" may be omitted or present.
    const type = typ.toLowerCase().replace(/^application\//, '')
    if (options.typ === undefined && !TYPES.includes(type)) {
      throw new InvalidToken(`A token of type ${typ} is not an access token`)
    }
    return payload
  }

  return async (session, now) => {
    const start = performance.now()
    try {
      return await verify(session, now).catch(async (error: unknown) => {
        if (!isForOtherKey(error)) throw error
        // The service may have rotated its keys since they were fetched.
        const isFresh = await keys.renew(start)
        return verify(session, now).catch((again: unknown) => {
          throw isFresh && isForOtherKey(again) ? new InvalidToken('No key fits the token') : again
        })
      })
    } catch (cause) {
      throw isWrong(cause) ? new InvalidToken((cause as Error).message, { cause }) : cause
    }
  }
}

const isForOtherKey = (error: unknown) =>
  error instanceof errors.JWKSNoMatchingKey ||
  error instanceof errors.JWSSignatureVerificationFailed

// Not a time claim: the clocks may differ.
const isWrong = (error: unknown) =>
  error instanceof errors.JWSInvalid ||
  error instanceof errors.JWTInvalid ||
  error instanceof errors.JOSEAlgNotAllowed ||
  (error instanceof errors.JWTClaimValidationFailed && ['iss', 'aud', 'typ'].includes(error.claim))

/** A token need not name its key, and during a rotation several may match. */
async function verifyWithAny(token: string, key: JWTVerifyGetKey, options: JWTVerifyOptions) {
  try {
    return await jwtVerify(token, key, options)
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    let last: unknown = error
    for await (const candidate of error) {
      try {
        return await jwtVerify(token, candidate, options)
      } catch (reason) {
        last = reason
      }
    }
    throw last
  }
}

function keysOf(
  { publicKey, jwksUrl }: VerificationOptions,
  { authUrl, fetch: send }: { authUrl: string; fetch: typeof fetch },
): Keys {
  if (publicKey !== undefined) {
    return {
      find: ({ alg }) =>
        typeof publicKey === 'string' ? importSPKI(publicKey, alg) : importJWK(publicKey, alg),
      renew: async () => true,
    }
  }
  if (jwksUrl === undefined) throw new Error('Verification needs publicKey or jwksUrl')
  const base = new URL(authUrl, globalThis.location?.href)
  const last = keepLast(send)
  // Caches the keys for ten minutes, and looks up an unknown key at most every 30 seconds.
  const find = createRemoteJWKSet(new URL(jwksUrl, base), { [customFetch]: last.load })
  return {
    find,
    async renew(start) {
      if (!find.coolingDown) await find.reload()
      return last.at() >= start
    },
  }
}

/**
 * Returns the last keys if they cannot be fetched: known tokens keep verifying, and a token with an
 * unknown key does not trigger another fetch right away. Without earlier keys it fails, and repeats
 * that failure for a moment instead of fetching again.
 */
function keepLast(send: typeof fetch) {
  let kept: string | null = null
  let keptAt = -1
  let failure: { error: unknown; at: number } | null = null

  return {
    /** When the service last returned keys. */
    at: () => keptAt,
    load: async (url: string, options: RequestInit): Promise<Response> => {
      if (failure !== null && performance.now() - failure.at < PAUSE) throw failure.error
      try {
        const response = await send(url, options)
        const text = await response.text()
        if (!response.ok) throw new Error(`The keys were answered with ${response.status}`)
        // Throws if the response is not a key set, which must not replace a valid one.
        createLocalJWKSet(JSON.parse(text) as JSONWebKeySet)
        kept = text
        keptAt = performance.now()
      } catch (error) {
        if (kept === null) {
          failure = { error, at: performance.now() }
          throw error
        }
      }
      return new Response(kept)
    },
  }
}
