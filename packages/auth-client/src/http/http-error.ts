export type HttpErrorCode = 'ERR_BAD_REQUEST' | 'ERR_BAD_RESPONSE' | 'ERR_NETWORK' | 'ECONNABORTED'

export interface HttpErrorDetails {
  /** The status, when there was a response. */
  status?: number
  /** The response body: parsed JSON, else text. */
  body?: unknown
  headers?: Headers
  cause?: unknown
}

/** The one error of `request`; messages and codes are those of axios in a browser. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  // Declared, not defined: the constructor sets each.
  declare readonly code: HttpErrorCode
  declare readonly status: number | undefined
  declare readonly body: unknown
  declare readonly headers: Headers | undefined

  constructor(message: string, code: HttpErrorCode, details: HttpErrorDetails = {}) {
    super(message, details)
    this.code = code
    this.status = details.status
    this.body = details.body
    this.headers = details.headers
  }
}
