import {
  authorizationCodeGrant,
  fetchUserInfo,
  genericGrantRequest,
  type Configuration,
  type IDToken,
} from 'openid-client'
import { refuseSubject } from './external-identity.ts'

export interface CodeExchange {
  redirectUrl: string
  code: string
  codeVerifier: string | undefined
  nonce: string | undefined
  /** `iss` of the provider's redirect (RFC 9207). */
  iss: string | undefined
}

/** Claims of an ID token that was issued to this service, for this sign-in, by this provider. */
export interface ExchangedCode {
  claims: IDToken
  accessToken: string
}

// The code was issued a moment ago, so the ID token must be fresh; this allows for clock skew.
const largestAgeSeconds = 10 * 60

/**
 * Exchanges a code and validates the ID token: signature by the provider's published keys, issuer,
 * audience, expiry, age, the format of the subject, and the nonce if the client sent it.
 */
export async function exchangeCode(
  configuration: Configuration,
  exchange: CodeExchange,
): Promise<ExchangedCode> {
  const tokens = await (exchange.nonce === undefined
    ? grantWithoutNonce(configuration, exchange)
    : authorizationCodeGrant(configuration, callbackOf(exchange), {
        expectedNonce: exchange.nonce,
        pkceCodeVerifier: exchange.codeVerifier,
      }))
  const claims = tokens.claims()
  if (claims === undefined) throw new Error('The provider sent no ID token.')
  // Use the clock with which the library checks `exp`.
  const age = Date.now() / 1000 - claims.iat
  if (Math.abs(age) > largestAgeSeconds) throw new Error('The ID token is not fresh.')
  refuseSubject(claims.sub)
  return { claims, accessToken: tokens.access_token }
}

function callbackOf({ redirectUrl, code, iss }: CodeExchange): URL {
  const callback = new URL(redirectUrl)
  callback.searchParams.set('code', code)
  if (iss !== undefined) callback.searchParams.set('iss', iss)
  return callback
}

/**
 * A client of the bare specification (spec §7) sends no nonce although the ID token has one, which
 * the library's code grant rejects. Everything but the nonce is checked the same way.
 */
function grantWithoutNonce(configuration: Configuration, exchange: CodeExchange) {
  const { redirectUrl, code, codeVerifier, iss } = exchange
  if (iss !== undefined && iss !== configuration.serverMetadata().issuer)
    throw new Error('The code is of another issuer.')
  return genericGrantRequest(configuration, 'authorization_code', {
    code,
    redirect_uri: redirectUrl,
    ...(codeVerifier !== undefined && { code_verifier: codeVerifier }),
  })
}

/** The provider's user info, in addition to the ID token; empty without such an endpoint. */
export async function readUserInfo(
  configuration: Configuration,
  { claims, accessToken }: ExchangedCode,
): Promise<Record<string, unknown>> {
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return {}
  return fetchUserInfo(configuration, accessToken, claims.sub)
}
