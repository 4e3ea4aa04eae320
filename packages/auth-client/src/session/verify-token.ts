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

// This module is only ever imported dynamically: it brings the verification library with it.

// Asymmetric only: with HS256 a public key would pass as the secret.
const ALGORITHMS = ['ES256', 'EdDSA', 'RS256']
const TYPES = ['jwt', 'at+jwt']

// Seconds between the service's stamp and the receipt that the measured skew cannot see.
const TOLERANCE = 5

// No header of a request holds a longer one.
const LONGEST_TOKEN = 65_536

// Milliseconds without another try after the keys could not be fetched.
const PAUSE = 500

/** Answers the claims of a session whose access token verifies; rejects otherwise. */
export type VerifyToken = (session: Session, now: number) => Promise<Claims>

/** Makes the verifier of access tokens; keys are fetched by the first call. */
export function createVerifier(
  options: VerificationOptions,
  context: { authUrl: string; fetch: typeof fetch },
): VerifyToken {
  const algorithms = (options.algorithms ?? ALGORITHMS).filter((name) => ALGORITHMS.includes(name))
  const key = keyOf(options, context)

  return async ({ token, skew }, now) => {
    if (token.accessToken.length > LONGEST_TOKEN) throw new Error('The token is too long')
    const { payload, protectedHeader } = await verifyWithAny(token.accessToken, key, {
      algorithms,
      issuer: options.issuer,
      audience: options.audience,
      typ: options.typ,
      requiredClaims: ['exp'],
      clockTolerance: TOLERANCE,
      currentDate: new Date(now + skew),
    })
    const { typ = 'JWT' } = protectedHeader
    // RFC 7515 §4.1.9: "application/" may be left out, and need not be.
    const type = typ.toLowerCase().replace(/^application\//, '')
    if (options.typ === undefined && !TYPES.includes(type)) {
      throw new Error(`A token of type ${typ} is no access token`)
    }
    return payload
  }
}

/** A token need not name its key, and while keys rotate more than one may fit. */
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

function keyOf(
  { publicKey, jwksUrl }: VerificationOptions,
  { authUrl, fetch: send }: { authUrl: string; fetch: typeof fetch },
): JWTVerifyGetKey {
  if (publicKey !== undefined) {
    return ({ alg }) =>
      typeof publicKey === 'string' ? importSPKI(publicKey, alg) : importJWK(publicKey, alg)
  }
  if (jwksUrl === undefined) throw new Error('Verification needs publicKey or jwksUrl')
  const base = new URL(authUrl, globalThis.location?.href)
  // Keeps the keys for ten minutes, and asks for one that it does not know every 30 seconds at most.
  return createRemoteJWKSet(new URL(jwksUrl, base), { [customFetch]: keepLast(send) })
}

/**
 * Returns the last answer when the keys cannot be fetched: known tokens keep verifying, and a token
 * with an unknown key does not trigger another fetch right away. Without a last answer it fails, and
 * repeats that failure for a moment instead of fetching again.
 */
function keepLast(send: typeof fetch): (url: string, options: RequestInit) => Promise<Response> {
  let kept: string | null = null
  let failure: { error: unknown; at: number } | null = null

  return async (url, options) => {
    if (failure !== null && performance.now() - failure.at < PAUSE) throw failure.error
    try {
      const response = await send(url, options)
      const text = await response.text()
      if (!response.ok) throw new Error(`The keys were answered with ${response.status}`)
      // Throws for what is no set of keys, which must not take the place of one.
      createLocalJWKSet(JSON.parse(text) as JSONWebKeySet)
      kept = text
    } catch (error) {
      if (kept === null) {
        failure = { error, at: performance.now() }
        throw error
      }
    }
    return new Response(kept)
  }
}
