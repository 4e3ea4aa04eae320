import type { AuthServiceOptions, ServiceRequest, TokenService } from '../auth-service.ts'
import { type HttpResponse, request } from '../http/request.ts'
import { createReceive } from '../session/receive.ts'
import type { Token } from '../session/token.ts'
import { tokenOf } from './token-answer.ts'
import type { OidcMetadata, OidcOptions } from './types.ts'

export interface OidcService extends TokenService {
  /** Posts to the token endpoint; the answer has the token as the client knows it. */
  askToken(
    fields: Record<string, string>,
    options: ServiceRequest,
    idToken?: string,
  ): Promise<HttpResponse & { body: { token: Token } }>
}

/** A client's calls to an OpenID service: refreshes and revocations, as forms and without a header. */
export function createOidcService(
  context: AuthServiceOptions,
  options: OidcOptions,
  discover: () => Promise<OidcMetadata>,
): OidcService {
  const post = (
    url: string,
    fields: Record<string, string>,
    { signal, timeout = options.timeout, keepalive = false }: ServiceRequest,
  ) =>
    request(url, {
      method: 'POST',
      // Only what needs no preflight.
      body: new URLSearchParams({ client_id: options.clientId, ...fields }),
      fetch: context.fetch,
      signal,
      timeout,
      keepalive,
    })

  const askToken: OidcService['askToken'] = async (fields, init, idToken) => {
    const { token_endpoint } = await discover()
    const answer = await post(token_endpoint, { ...fields, ...options.tokenParameters }, init)
    return { ...answer, body: { token: tokenOf(answer, options, idToken) } }
  }

  return {
    askToken,
    receive: createReceive(context),
    async postRefreshToken(path, { token }, init) {
      const { refreshToken, accessToken, idToken = '' } = token
      if (path !== '/api/logout')
        return askToken(
          { grant_type: 'refresh_token', refresh_token: refreshToken ?? '' },
          init,
          idToken,
        )
      const { revocation_endpoint } = await discover()
      return revocation_endpoint
        ? post(revocation_endpoint, { token: refreshToken ?? accessToken }, init)
        : { status: 204, headers: new Headers(), body: '' }
    },
  }
}
