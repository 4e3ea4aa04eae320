import { decodeClaims, type Claims, type Token } from '../session/token.ts'
import { OidcError } from './oidc-error.ts'
import type { OidcOptions } from './types.ts'

/**
 * The token in an answer of the token endpoint (OpenID Connect Core 1.0 §3.1.3.3, §12.2), with its ID
 * token checked; `sub` is that of the session that is refreshed. Throws `OidcError`.
 *
 * The ID token came from the service itself, so its signature is not needed (§3.1.3.7), and its times
 * say nothing: it answers a code or a refresh of this moment.
 */
export function tokenOf(body: unknown, options: OidcOptions, sub?: unknown): Token {
  const { identity = 'accessToken', clientId } = options
  const answer: Claims = Object(body)
  const { access_token, id_token, refresh_token, expires_in } = answer as Record<string, string>
  if (!access_token || !/^bearer$/i.test(String(answer['token_type'])))
    throw new OidcError('The answer has no bearer token')
  if (id_token) {
    const claims = decodeClaims(id_token) as Partial<Record<string, string>>
    const { iss, aud, azp = clientId, tid = '' } = claims
    if (iss !== options.issuer.replace('{tenantid}', tid))
      throw new OidcError(`The ID token is of the issuer ${iss}`)
    if (![aud].flat().includes(clientId) || azp !== clientId)
      throw new OidcError(`The ID token is for ${aud}, not for ${clientId}`)
    if (!claims['sub'] || (sub && sub !== claims['sub']))
      throw new OidcError('The ID token is of another user', 400)
  } else if (!sub) {
    throw new OidcError('The answer has no ID token: `scope` must contain openid')
  }
  const isOpaque = !decodeClaims(access_token)['exp']
  if (isOpaque && identity === 'accessToken')
    throw new OidcError(
      'The access token is opaque: have the service issue a JWT (Auth0: audience, Logto: resource), or set `identity` to idToken',
    )
  return {
    tokenType: 'Bearer',
    accessToken: access_token,
    ...(refresh_token && { refreshToken: refresh_token }),
    ...(id_token && { idToken: id_token }),
    // Without the time, it is used until an API refuses it.
    ...(identity === 'idToken' && { expiresIn: Number(expires_in) || 1e9 }),
  }
}
