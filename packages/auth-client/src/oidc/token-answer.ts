import type { HttpResponse } from '../http/request.ts'
import { decodeClaims, type Token } from '../session/token.ts'
import { OidcError } from './oidc-error.ts'
import type { OidcOptions } from './types.ts'

/**
 * The token in an answer of the token endpoint (OpenID Connect Core 1.0 §3.1.3.7, §12.2), with its ID
 * token checked; for a refresh against the one of before. Throws `OidcError`.
 *
 * The ID token came from the service itself, so its signature is not needed. A page's clock may be
 * wrong, so its end is compared with the service's, if that is readable, and with its own beginning.
 */
export function tokenOf(
  { body, headers }: HttpResponse,
  { identity = 'accessToken', clientId, issuer }: OidcOptions,
  before?: string,
): Token {
  const answer = Object(body) as Partial<Record<string, string>>
  const { access_token, id_token, refresh_token, expires_in } = answer
  if (!access_token || !/^bearer$/i.test(String(answer['token_type'])))
    throw new OidcError('The answer has no bearer token')
  if (id_token) {
    const claims = decodeClaims(id_token) as Partial<Record<string, string>>
    const { iss, aud, sub, tid = '' } = claims
    if (iss !== issuer.replace('{tenantid}', tid))
      throw new OidcError(`The ID token is of the issuer ${iss}`)
    const audiences = [aud].flat()
    // With several audiences, `azp` names the one it was issued to.
    const { azp = audiences.find((one) => one !== clientId) ?? clientId } = claims
    if (!audiences.includes(clientId) || azp !== clientId)
      throw new OidcError(`The ID token is for ${aud}, not for ${clientId}`)
    const now = Date.parse(headers.get('date') ?? '') / 1000
    if (!(Number(claims['exp']) > (now || Number(claims['iat']))))
      throw new OidcError('The ID token has ended')
    const { sub: wanted = sub, iss: from = iss } = decodeClaims(before ?? '')
    if (!sub || sub !== wanted || iss !== from)
      throw new OidcError('The ID token is of another user', 400)
  } else if (before === undefined) {
    throw new OidcError('The answer has no ID token: `scope` must contain openid')
  }
  if (identity === 'accessToken' && !decodeClaims(access_token)['exp'])
    throw new OidcError(
      'The access token is opaque: ask for a JWT (Auth0: audience, Logto: resource), or set `identity` to idToken',
    )
  return {
    tokenType: 'Bearer',
    accessToken: access_token,
    ...(refresh_token && { refreshToken: refresh_token }),
    ...(id_token && { idToken: id_token }),
    // Without a lifetime, it is used until an API refuses it.
    ...(identity === 'idToken' && { expiresIn: Number(expires_in) || 1e9 }),
  }
}
