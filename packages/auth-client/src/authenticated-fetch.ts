import type { AuthenticatedRequestInit } from './types.ts'

/**
 * `fetch` with the session's authorization. After a 401, it refreshes and retries once.
 * The refresh itself does not use this function, so it cannot recurse.
 */
export function createAuthenticatedFetch(options: {
  fetch: typeof fetch
  apiVersion: string
  getAuthorization: () => Promise<string | null>
  /** The value to try again with after this one was refused; null when there is no other. */
  renew: (refused: string) => Promise<string | null>
}) {
  return async (input: string | URL | Request, init: AuthenticatedRequestInit = {}) => {
    const { apiVersion = options.apiVersion, ...rest } = init
    const request = input instanceof Request ? input : null
    const given = new Headers(init.headers ?? request?.headers)
    if (!given.has('api-version')) given.set('api-version', apiVersion)

    const send = (target: string | URL | Request, authorization: string | null) => {
      const headers = new Headers(given)
      if (authorization) headers.set('authorization', authorization)
      return options.fetch(target, { ...rest, headers })
    }

    // The caller's own header wins.
    if (given.has('authorization')) return send(input, null)
    const authorization = await options.getAuthorization()
    // A request's body can be read once, so the second try needs a copy made before the first.
    const copy = request?.clone() ?? input
    const response = await send(input, authorization)
    const isFinal = response.status !== 401 || rest.body instanceof ReadableStream
    const renewed = isFinal || authorization === null ? null : await options.renew(authorization)
    if (renewed === null) return response
    // It may have failed, which no longer matters.
    response.body?.cancel().catch(() => {})
    return send(copy, renewed)
  }
}
