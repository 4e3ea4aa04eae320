import type { AuthService } from '../auth-service.ts'
import { decodeClaims } from '../session/token.ts'
import type { CallOptions } from '../types.ts'
import { tokenOf } from './token-answer.ts'
import type { OidcMetadata, OidcOptions } from './types.ts'

interface FormInit extends CallOptions {
  keepalive?: boolean
}

export interface OidcService extends AuthService {
  /** Posts to the token endpoint; the answer has the token as the client knows it. */
  askToken(
    fields: Record<string, string>,
    options: FormInit,
    sub?: unknown,
  ): ReturnType<AuthService['send']>
}

/** A client's calls to an OpenID service: refreshes and revocations, as forms and without a header. */
export function createOidcService(
  service: AuthService,
  options: OidcOptions,
  discover: () => Promise<OidcMetadata>,
): OidcService {
  // Only what needs no preflight.
  const post = (url: string, fields: Record<string, string>, init: FormInit) =>
    service.send(url, {
      ...init,
      headers: {},
      method: 'POST',
      body: new URLSearchParams({ client_id: options.clientId, ...fields }),
    })

  const askToken: OidcService['askToken'] = async (fields, init, sub) => {
    const { token_endpoint } = await discover()
    const answer = await post(token_endpoint, { ...fields, ...options.tokenParameters }, init)
    return { ...answer, body: { token: tokenOf(answer.body, options, sub) } }
  }

  return {
    ...service,
    askToken,
    async postRefreshToken(path, { token }, init) {
      const { refreshToken, accessToken, idToken = '' } = token
      if (path !== '/api/logout') {
        const fields = { grant_type: 'refresh_token', refresh_token: refreshToken ?? '' }
        return askToken(fields, init, decodeClaims(idToken)['sub'] ?? true)
      }
      const { revocation_endpoint } = await discover()
      return revocation_endpoint
        ? post(revocation_endpoint, { token: refreshToken ?? accessToken }, init)
        : { status: 204, headers: new Headers(), body: '' }
    },
  }
}
