import { createRemoteJWKSet, errors, importSPKI, type JWTVerifyGetKey } from 'jose'
import { ProblemError } from './problem.ts'

/** Public keys of an authentication service that runs elsewhere; cached, fetched again for a new key. */
export function remoteKeys(url: string): JWTVerifyGetKey {
  const find = createRemoteJWKSet(new URL(url))
  return (header, token) =>
    find(header, token).catch((cause: unknown) => {
      if (saysNoSuchKey(cause)) throw cause
      // No answer, no 200, no JSON, no keys: says nothing about the token.
      throw new ProblemError(
        'keys_unavailable',
        'The keys that verify access tokens cannot be fetched. Try again shortly.',
        { retryAfter: 5, cause },
      )
    })
}

/** The one key of a service that publishes no JWKS. */
export const singleKey =
  (pem: string): JWTVerifyGetKey =>
  ({ alg }) =>
    importSPKI(pem, alg).catch((cause: unknown) => {
      // A key of another kind than the token's algorithm asks for.
      throw new errors.JWKSNoMatchingKey(undefined, { cause })
    })

const saysNoSuchKey = (error: unknown): boolean =>
  error instanceof errors.JWKSNoMatchingKey ||
  error instanceof errors.JWKSMultipleMatchingKeys ||
  error instanceof errors.JOSENotSupported
