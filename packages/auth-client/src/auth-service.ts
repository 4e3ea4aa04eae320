import { type HttpResponse, request, type RequestOptions } from './http/request.ts'
import { knownSkew } from './session/clock-skew.ts'
import { createSession, type Session } from './session/session.ts'
import { parseToken } from './session/token.ts'
import type { AuthClientOptions, CallOptions, Path } from './types.ts'

interface ServiceRequest extends Omit<RequestOptions, 'timeout' | 'signal'>, CallOptions {
  headers?: Record<string, string>
}

export interface AuthService {
  /** Calls a path of the service, or any URL, with the `api-version`. */
  send(path: string, init?: ServiceRequest): Promise<HttpResponse>
  post(path: Path, json: object, options?: ServiceRequest): Promise<HttpResponse>
  /** Posts the refresh token of a session and its provider. */
  postRefreshToken(path: Path, session: Session, options: ServiceRequest): Promise<HttpResponse>
  /** The session in a response; null if its token has no token type. */
  receive(send: () => Promise<HttpResponse>, kept?: Session): Promise<Session | null>
}

export type AuthServiceOptions = Pick<
  AuthClientOptions,
  'authUrl' | 'realm' | 'apiVersion' | 'timeout' | 'paths' | 'rolesClaim'
> & { clock: () => number; fetch: typeof fetch }

/** Calls the authentication service: its base URL, and `api-version` on every call. */
export function createAuthService(options: AuthServiceOptions): AuthService {
  const { authUrl, apiVersion = '1', paths, clock, rolesClaim } = options

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
    async receive(sendIt, kept) {
      const askedAt = clock()
      const { body, headers } = await sendIt()
      const token = parseToken(Object(body).token)
      if (!token) return null
      const answeredAt = clock()
      // If the clock was set back meanwhile, the response has an earlier time than the request.
      const sentAt = Math.min(askedAt, answeredAt)
      return createSession(
        // A service that does not rotate returns no refresh token: the old one stays valid.
        { ...kept?.token, ...token },
        {
          // The token was issued after this moment, so its lifetime never ends later than counted
          // from here.
          receivedAt: sentAt,
          known: knownSkew(sentAt, answeredAt, Date.parse(headers.get('date') ?? '')),
          userId: kept?.userId,
          rolesClaim,
        },
      )
    },
  }
}
