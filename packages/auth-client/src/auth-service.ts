import { type HttpResponse, request, type RequestOptions } from './http/request.ts'
import { createReceive, type Receive } from './session/receive.ts'
import type { Session } from './session/session.ts'
import type { AuthClientOptions, CallOptions, Path } from './types.ts'

export interface ServiceRequest extends Omit<RequestOptions, 'timeout' | 'signal'>, CallOptions {
  headers?: Record<string, string>
}

/** What a session needs from its service, whatever protocol that speaks. */
export interface TokenService {
  /** Posts the refresh token of a session and its provider. */
  postRefreshToken(path: Path, session: Session, options: ServiceRequest): Promise<HttpResponse>
  receive: Receive
}

export interface AuthService extends TokenService {
  /** Calls a path of the service, or any URL, with the `api-version`. */
  send(path: string, init?: ServiceRequest): Promise<HttpResponse>
  post(path: Path, json: object, options?: ServiceRequest): Promise<HttpResponse>
}

export type AuthServiceOptions = Pick<
  AuthClientOptions,
  'authUrl' | 'realm' | 'apiVersion' | 'timeout' | 'paths' | 'rolesClaim'
> & { clock: () => number; fetch: typeof fetch }

/** Calls the authentication service: its base URL, and `api-version` on every call. */
export function createAuthService(options: AuthServiceOptions): AuthService {
  const { authUrl, apiVersion = '1', paths } = options

  const send = (path: string, init: ServiceRequest = {}) => {
    const own = path.replace(/^[^?]+/, (call) => paths?.[call as Path] ?? call)
    // A path of the service starts with a slash, a callback URL does not.
    return request((own[0] === '/' ? authUrl.replace(/\/+$/, '') : '') + own, {
      timeout: options.timeout,
      ...init,
      headers: { ...init.headers, ...(apiVersion && { 'api-version': apiVersion }) },
      fetch: options.fetch,
    })
  }

  const post = (path: Path, json: object, init?: ServiceRequest) =>
    send(path, { ...init, method: 'POST', json })

  return {
    send,
    post,
    postRefreshToken(path, { token, provider }, init) {
      const { refreshToken } = token
      return post(path, { refreshToken, provider: provider ?? options.realm }, init)
    },
    receive: createReceive(options),
  }
}
