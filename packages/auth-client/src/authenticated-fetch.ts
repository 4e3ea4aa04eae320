import { addXsrfToken } from './http/xsrf.ts'
import { authorizationOf, type Session } from './session/session.ts'
import type { AuthenticatedRequestInit } from './types.ts'

/**
 * `fetch` with the session's authorization. After a 401, it refreshes and retries once.
 * The refresh itself does not use this function, so it cannot recurse.
 */
export function createAuthenticatedFetch(
  fetch: typeof globalThis.fetch,
  ownVersion: string | undefined,
  /** The session to send; null if there is none. Rejects when the signal aborts. */
  currentSession: (signal?: AbortSignal | null) => Promise<Session | null>,
  /** The session to retry with after this one was refused; null if there is no other. */
  renew: (refused: Session, signal?: AbortSignal | null) => Promise<Session | null>,
) {
  return async (input: string | URL | Request, init: AuthenticatedRequestInit = {}) => {
    const { apiVersion = ownVersion ?? '1', ...rest } = init
    const request = input instanceof Request ? input : null
    const signal = init.signal ?? request?.signal
    const given = new Headers(init.headers ?? request?.headers)
    if (apiVersion && !given.has('api-version')) given.set('api-version', apiVersion)
    addXsrfToken(given, request?.url ?? (input as string | URL))

    const send = (target: string | URL | Request, session: Session | null) => {
      const headers = new Headers(given)
      if (session) headers.set('authorization', authorizationOf(session))
      return fetch(target, { ...rest, headers })
    }

    // The caller's own header wins.
    if (given.has('authorization')) return send(input, null)
    const session = await currentSession(signal)
    // A request body can be read only once, so the retry needs a copy made up front.
    const copy = request?.clone() ?? input
    const response = await send(input, session)
    const isFinal = response.status !== 401 || rest.body instanceof ReadableStream
    const renewed = isFinal || !session ? null : await renew(session, signal)
    if (!renewed) return response
    // Its failure no longer matters.
    response.body?.cancel().catch(() => {})
    return send(copy, renewed)
  }
}
