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

/** Finds the service's configuration, once a page; after a failure the next call tries again. */
export function createDiscovery(options: OidcOptions): () => Promise<OidcMetadata> {
  const { issuer, discoveryUrl, metadata, fetch, timeout } = options
  const url = discoveryUrl ?? `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  // The page navigates to some of them: a `javascript:` URL would run in it.
  const scheme = issuer.startsWith('https:') ? 'https://' : 'http'
  const isUrl = (value: unknown) => typeof value === 'string' && value.startsWith(scheme)
  // A service need not have them.
  const optional = { end_session_endpoint: scheme, revocation_endpoint: scheme }

  return loadOnce(async () => {
    const found = Object(metadata ?? (await load())) as OidcMetadata
    if (found.issuer !== issuer)
      throw new OidcError(`${url} is of the issuer ${found.issuer}: \`issuer\` is ${issuer}`)
    for (const name of ADDRESSES)
      if (!isUrl({ ...optional, ...found }[name]))
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
