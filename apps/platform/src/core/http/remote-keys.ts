import { createRemoteJWKSet, errors, importSPKI, type JWTVerifyGetKey } from 'jose'
import { ProblemError } from './problem.ts'

/**
 * Public keys of an authentication service that runs elsewhere; cached, refetched for an unknown key.
 */
export function remoteKeys(url: string): JWTVerifyGetKey {
  const find = createRemoteJWKSet(new URL(url))
  return (header, token) =>
    find(header, token).catch((cause: unknown) => {
      if (saysNoSuchKey(cause)) throw cause
      // No response, no 200, no JSON, no keys: says nothing about the token.
      throw new ProblemError(
        'keys_unavailable',
        'The keys that verify access tokens cannot be fetched. Try again shortly.',
        { retryAfter: 5, cause },
      )
    })
}

/** The only key of a service without a JWKS. */
export const singleKey =
  (pem: string): JWTVerifyGetKey =>
  ({ alg }) =>
    importSPKI(pem, alg).catch((cause: unknown) => {
      // A key of another type than the token's algorithm requires.
      throw new errors.JWKSNoMatchingKey(undefined, { cause })
    })

const saysNoSuchKey = (error: unknown): boolean =>
  error instanceof errors.JWKSNoMatchingKey ||
  error instanceof errors.JWKSMultipleMatchingKeys ||
  error instanceof errors.JOSENotSupported
