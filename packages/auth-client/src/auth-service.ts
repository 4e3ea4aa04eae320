import { HttpError } from './http/http-error.ts'
import { request, type RequestOptions } from './http/request.ts'
import { parseToken, type Token } from './session/token.ts'

interface ServiceRequest extends RequestOptions {
  headers?: Record<string, string>
}

export interface AuthService {
  /** Calls any address, with the `api-version`; answers the body. */
  send(address: string, init: ServiceRequest): Promise<unknown>
  post(path: string, json: unknown, options?: ServiceRequest): Promise<unknown>
  get(path: string): Promise<unknown>
}

/** Calls the authentication service: its base address, and `api-version` on every call. */
export function createAuthService(options: {
  authUrl: string
  apiVersion: string
  fetch: typeof fetch
}): AuthService {
  const base = options.authUrl.replace(/\/+$/, '')
  const send = async (address: string, init: ServiceRequest) => {
    const headers = { ...init.headers, 'api-version': options.apiVersion }
    return (await request(address, { ...init, headers, fetch: options.fetch })).body
  }
  return {
    send,
    post: (path, json, init) => send(base + path, { ...init, method: 'POST', json }),
    get: (path) => send(base + path, {}),
  }
}

/** The `token` of an answer; null when it has no token type. */
export function tokenIn(body: unknown): Token | null {
  return parseToken((Object(body) as { token?: unknown }).token)
}

/** The `token` of an answer that must have one. */
export function requireToken(body: unknown): Token {
  const token = tokenIn(body)
  if (token === null) throw new Error('The answer has no token')
  return token
}

/** Gives the caller the server's own body when there was one, else the error. */
export function rejectWithBody(error: unknown): never {
  throw error instanceof HttpError && error.body ? error.body : error
}
