export interface AuthErrorDetails {
  /** The status, if there was a response. */
  status?: number
  /** The response body: parsed JSON, else text. */
  body?: unknown
  headers?: Headers
  cause?: unknown
}

/**
 * A call that failed. The messages are "Request failed with status code N", "Network Error",
 * "Request aborted" and "timeout of Nms exceeded"; `cause` is what `fetch` rejected with.
 */
export class AuthError extends Error {
  override readonly name = 'AuthError'
  // Declared, not defined: the constructor sets it.
  /** The status; undefined if there was no response. */
  declare readonly status: number | undefined
  /** The response body: parsed JSON, else text. */
  declare readonly body: unknown
  /** The response headers; undefined if there was no response. */
  declare readonly headers: Headers | undefined
  /** Seconds to wait before retrying, if the response asks for a pause. */
  declare readonly retryAfter: number | undefined

  constructor(message: string, details: AuthErrorDetails) {
    super(message, details)
    Object.assign(this, details, { retryAfter: retryAfterOf(details.headers) })
  }
}

// RFC 9110 §10.2.3: seconds, or a date relative to the response's own clock.
function retryAfterOf(headers?: Headers): number | undefined {
  const value = headers?.get('retry-after')
  if (!value) return undefined
  const now = Date.parse(headers?.get('date') ?? '') || Date.now()
  const seconds = Math.ceil(Number(value) || (Date.parse(value) - now) / 1000)
  return seconds > 0 ? seconds : undefined
}
