import {
  createRemoteJWKSet,
  customFetch,
  importJWK,
  importSPKI,
  jwtVerify,
  type JWTVerifyGetKey,
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
    const { payload, protectedHeader } = await jwtVerify(token.accessToken, key, {
      algorithms,
      issuer: options.issuer,
      audience: options.audience,
      typ: options.typ,
      requiredClaims: ['exp'],
      clockTolerance: TOLERANCE,
      currentDate: new Date(now + skew),
    })
    const { typ = 'JWT' } = protectedHeader
    if (options.typ === undefined && !TYPES.includes(typ.toLowerCase())) {
      throw new Error(`A token of type ${typ} is no access token`)
    }
    return payload
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
  return createRemoteJWKSet(new URL(jwksUrl, base), { [customFetch]: send })
}
