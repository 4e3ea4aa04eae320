import type { VerificationOptions } from '../types.ts'
import type { Session } from './session.ts'
import type { Claims } from './token.ts'

// Asymmetric only: with HS256 a public key would pass as the secret.
const ALGORITHMS = ['ES256', 'EdDSA', 'RS256']
const TYPES = ['jwt', 'at+jwt']

// Seconds between the service's stamp and the receipt that the measured skew cannot see.
const TOLERANCE = 5

/** Answers the claims of a session whose access token verifies; rejects otherwise. */
export type VerifyToken = (session: Session, now: number) => Promise<Claims>

/** Makes the verifier. The verification library is loaded by the first call. */
export function createVerifier(
  options: VerificationOptions,
  context: { authUrl: string; fetch: typeof fetch },
): VerifyToken {
  const algorithms = (options.algorithms ?? ALGORITHMS).filter((name) => ALGORITHMS.includes(name))
  let keys: Promise<GetKey> | undefined

  async function loadKeys(): Promise<GetKey> {
    const { createRemoteJWKSet, customFetch, importJWK, importSPKI } = await import('jose')
    const { publicKey, jwksUrl } = options
    if (publicKey === undefined) {
      if (jwksUrl === undefined) throw new Error('Verification needs publicKey or jwksUrl')
      const address = new URL(jwksUrl, new URL(context.authUrl, globalThis.location?.href))
      const remote = createRemoteJWKSet(address, { [customFetch]: context.fetch })
      return (header, token) => remote(header, token)
    }
    return ({ alg = '' }) =>
      typeof publicKey === 'string' ? importSPKI(publicKey, alg) : importJWK(publicKey, alg)
  }

  return async ({ token, skew }, now) => {
    const { jwtVerify } = await import('jose')
    keys ??= loadKeys()
    const { payload, protectedHeader } = await jwtVerify(token.accessToken, await keys, {
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

type GetKey = import('jose').JWTVerifyGetKey
