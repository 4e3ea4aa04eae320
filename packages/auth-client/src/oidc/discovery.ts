import type { AuthError } from '../http/auth-error.ts'
import { request } from '../http/request.ts'
import { loadOnce } from '../load-once.ts'
import { OidcError } from './oidc-error.ts'
import type { OidcMetadata, OidcOptions } from './types.ts'

const ADDRESSES = [
  'authorization_endpoint',
  'token_endpoint',
  'jwks_uri',
  'end_session_endpoint',
  'revocation_endpoint',
] as const

// A page navigates to some of these URLs and sends secrets to others: neither `javascript:` nor plain
// HTTP over a network is safe.
const SAFE = /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$))/

/** Milliseconds for calls that people wait for, if the options have no `timeout`. */
export const TIME_LIMIT = 10_000

/** Loads the service's configuration once per page; after a failure the next call retries. */
export function createDiscovery(options: OidcOptions): () => Promise<OidcMetadata> {
  const { issuer, discoveryUrl, metadata, fetch, timeout = TIME_LIMIT } = options
  const url = discoveryUrl ?? `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  // Optional for a service.
  const optional = { end_session_endpoint: url, revocation_endpoint: url }

  return loadOnce(async () => {
    if (!SAFE.test(url) || !SAFE.test(issuer)) throw new OidcError(`${url} is not https`)
    const found = Object(metadata ?? (await load())) as OidcMetadata
    if (found.issuer !== issuer)
      throw new OidcError(`${url} is of the issuer ${found.issuer}: \`issuer\` is ${issuer}`)
    for (const name of ADDRESSES)
      if (!SAFE.test({ ...optional, ...found }[name]))
        throw new OidcError(`${url} has no usable ${name}`)
    return found
  })

  async function load(): Promise<unknown> {
    try {
      return (await request(url, { ...(fetch && { fetch }), timeout })).body
    } catch (error) {
      const { status = 500 } = error as AuthError
      throw status < 500 && status !== 429
        ? new OidcError(`${url} answers ${status}: is \`issuer\` right?`)
        : error
    }
  }
}
