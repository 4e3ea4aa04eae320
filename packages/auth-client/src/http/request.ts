import { LONGEST_DELAY } from '../longest-delay.ts'
import { onAbort } from './abortable.ts'
import { AuthError } from './auth-error.ts'
import { addXsrfToken } from './xsrf.ts'

/** The options of `request`. */
export interface RequestOptions extends Omit<RequestInit, 'signal'> {
  /** Aborts the request, which rejects with `AuthError` ("Request aborted"). */
  signal?: AbortSignal | null | undefined
  /** Time limit in milliseconds, including the body; default: 0, no limit. */
  timeout?: number | undefined
  /** The JSON body, sent with its content type. */
  json?: unknown
  /** Sends the request; default: the global `fetch`. */
  fetch?: typeof fetch
}

/** A response with its body read. */
export interface HttpResponse {
  /** 200 to 299; any other status rejects. */
  status: number
  /** The response headers; cross-origin, only those that the service exposes. */
  headers: Headers
  /** Parsed JSON, else the text. */
  body: unknown
}

/**
 * Sends a request and reads the response. Rejects with `AuthError` for a status outside 200–299, a
 * lost connection, an abort and a timeout.
 */
export async function request(
  url: string | URL,
  options: RequestOptions = {},
): Promise<HttpResponse> {
  const { timeout = 0, json, fetch: send = globalThis.fetch, ...init } = options
  const headers = new Headers(init.headers)
  if (!headers.has('accept')) headers.set('accept', 'application/json,*/*')
  if (json !== undefined) {
    headers.set('content-type', 'application/json')
    init.body = JSON.stringify(json)
  }
  addXsrfToken(headers, url)

  // Not AbortSignal.any and AbortSignal.timeout, which browsers before 2024 lack.
  const abort = new AbortController()
  const { signal } = abort
  let isLate = false
  const expire = () => {
    isLate = !signal.aborted
    abort.abort()
  }
  const timer = timeout > 0 ? setTimeout(expire, Math.min(timeout, LONGEST_DELAY)) : undefined
  const unlisten = options.signal && onAbort(options.signal, () => abort.abort())
  try {
    const response = await send(url, { ...init, headers, signal })
    const { status } = response
    const answer = { status, headers: response.headers, body: parse(await response.text()) }
    if (response.ok) return answer
    throw new AuthError(`Request failed with status code ${status}`, answer)
  } catch (cause) {
    if (cause instanceof AuthError) throw cause
    const isAborted = signal.aborted || (cause as Error | null)?.name === 'AbortError'
    const message = isAborted ? 'Request aborted' : 'Network Error'
    throw new AuthError(isLate ? `timeout of ${timeout}ms exceeded` : message, { cause })
  } finally {
    clearTimeout(timer)
    unlisten?.()
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
