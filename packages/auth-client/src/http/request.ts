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
  const { timeout = 0, json, fetch: send = globalThis.fetch, signal, ...init } = options
  const headers = new Headers(init.headers)
  if (!headers.has('accept')) headers.set('accept', 'application/json, text/plain, */*')
  if (json !== undefined) {
    headers.set('content-type', 'application/json')
    init.body = JSON.stringify(json)
  }
  const xsrf = xsrfTokenFor(url)
  if (xsrf) headers.set('x-xsrf-token', xsrf)

  const limit = abortAfter(timeout, signal)
  try {
    const response = await send(url, { ...init, headers, signal: limit.signal })
    const body = parse(await response.text())
    if (response.ok) return { status: response.status, headers: response.headers, body }
    throw badStatus(response, body)
  } catch (cause) {
    if (cause instanceof HttpError) throw cause
    if (limit.isTimedOut()) {
      throw new HttpError(`timeout of ${timeout}ms exceeded`, 'ECONNABORTED', { cause })
    }
    if (limit.signal.aborted || isAbort(cause)) {
      throw new HttpError('Request aborted', 'ECONNABORTED', { cause })
    }
    throw new HttpError('Network Error', 'ERR_NETWORK', { cause })
  } finally {
    limit.release()
  }
}

function badStatus({ status, headers }: Response, body: unknown): HttpError {
  const code = status >= 400 && status < 500 ? 'ERR_BAD_REQUEST' : 'ERR_BAD_RESPONSE'
  return new HttpError(`Request failed with status code ${status}`, code, { status, body, headers })
}

// AbortSignal.any and AbortSignal.timeout cannot tell afterwards which of the two it was.
function abortAfter(timeout: number, outer: AbortSignal | null | undefined) {
  const controller = new AbortController()
  let timedOut = false
  const abort = () => controller.abort()
  const expire = () => {
    timedOut = !controller.signal.aborted
    abort()
  }
  const timer = timeout > 0 ? setTimeout(expire, Math.min(timeout, LONGEST_DELAY)) : undefined
  if (outer?.aborted) abort()
  outer?.addEventListener('abort', abort)
  return {
    signal: controller.signal,
    isTimedOut: () => timedOut,
    release() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', abort)
    },
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

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}
