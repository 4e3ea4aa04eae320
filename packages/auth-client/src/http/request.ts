import { LONGEST_DELAY } from '../longest-delay.ts'
import { HttpError } from './http-error.ts'
import { xsrfTokenFor } from './xsrf.ts'

export interface RequestOptions extends RequestInit {
  /** Milliseconds until the request fails, the body included; 0, the default, is no limit. */
  timeout?: number
  /** Sent as the body, with its content type. */
  json?: unknown
  fetch?: typeof fetch
}

export interface HttpResponse {
  status: number
  headers: Headers
  /** Parsed JSON, else the text. */
  body: unknown
}

/**
 * Sends one request and reads its answer. Rejects with `HttpError` for a status outside 200–299,
 * a lost connection, an abort and a timeout.
 */
export async function request(
  url: string | URL,
  options: RequestOptions = {},
): Promise<HttpResponse> {
  const { timeout = 0, json, fetch: send = globalThis.fetch, ...init } = options
  const headers = new Headers(init.headers)
  if (!headers.has('accept')) headers.set('accept', 'application/json, text/plain, */*')
  if (json !== undefined) {
    headers.set('content-type', 'application/json')
    init.body = JSON.stringify(json)
  }
  const xsrf = xsrfTokenFor(url)
  if (xsrf) headers.set('x-xsrf-token', xsrf)

  const limit = timeout > 0 ? AbortSignal.timeout(Math.min(timeout, LONGEST_DELAY)) : null
  const signal = AbortSignal.any([options.signal ?? [], limit ?? []].flat())
  try {
    const response = await send(url, { ...init, headers, signal })
    const { status } = response
    const answer = { status, headers: response.headers, body: parse(await response.text()) }
    if (response.ok) return answer
    const code = status >= 400 && status < 500 ? 'ERR_BAD_REQUEST' : 'ERR_BAD_RESPONSE'
    throw new HttpError(`Request failed with status code ${status}`, code, answer)
  } catch (cause) {
    if (cause instanceof HttpError) throw cause
    if (limit?.aborted && signal.reason === limit.reason) {
      throw new HttpError(`timeout of ${timeout}ms exceeded`, 'ECONNABORTED', { cause })
    }
    if (signal.aborted || (cause as Error | null)?.name === 'AbortError') {
      throw new HttpError('Request aborted', 'ECONNABORTED', { cause })
    }
    throw new HttpError('Network Error', 'ERR_NETWORK', { cause })
  }
}

// As axios does: the text decides, not the content type, which servers often get wrong.
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
