import { HttpError } from './http/http-error.ts'
import { request, type RequestOptions } from './http/request.ts'
import { isRecord, parseToken, type Token } from './session/token.ts'

export interface AuthService {
  post(path: string, json: unknown, options?: RequestOptions): Promise<unknown>
  get(path: string): Promise<unknown>
}

/** Calls the authentication service: its base address, and `api-version` on every call. */
export function createAuthService(options: {
  authUrl: string
  apiVersion: string
  fetch: typeof fetch
}): AuthService {
  const base = options.authUrl.replace(/\/+$/, '')
  const call = async (path: string, init: RequestOptions) => {
    const headers = new Headers(init.headers)
    headers.set('api-version', options.apiVersion)
    return (await request(base + path, { ...init, headers, fetch: options.fetch })).body
  }
  return {
    post: (path, json, init) => call(path, { ...init, method: 'POST', json }),
    get: (path) => call(path, {}),
  }
}

/** The `token` of an answer; null when it has no token type. */
export function tokenIn(body: unknown): Token | null {
  return isRecord(body) ? parseToken(body['token']) : null
}

/** What a caller is given: the server's own body when there was one, else the error. */
export function bodyOrError(error: unknown): unknown {
  return error instanceof HttpError && error.body ? error.body : error
}
