import { CallFailure, failureOf, lateFailure, Stopped } from './failure.ts'

/** Longer than any answer of the protocol, in bytes. */
const maxAnswer = 1_000_000

export interface LimitedOptions {
  fetch: typeof fetch
  /** In milliseconds: for one call, and for all of them. */
  timeout: number
  totalTimeout: number
  signal?: AbortSignal | undefined
}

export interface RawAnswer {
  status: number
  headers: Headers
  text: string
}

/**
 * A `fetch` that also reads the body, limited in time and length. Rejects with `CallFailure`, or with
 * `Stopped` if the total time is over or the caller aborts.
 */
export function limitedFetch({ fetch: send, timeout, totalTimeout, signal }: LimitedOptions) {
  const end = performance.now() + totalTimeout

  return async (url: URL, init: RequestInit, limit = timeout): Promise<RawAnswer> => {
    const left = end - performance.now()
    const over = new Stopped(`the check took ${totalTimeout / 1000} seconds`)
    if (signal?.aborted) throw new Stopped('the check was stopped')
    if (left <= 0) throw over
    const abort = new AbortController()
    const stop = () => abort.abort()
    const timer = setTimeout(stop, Math.min(limit, left))
    signal?.addEventListener('abort', stop)
    try {
      const response = await send(url.href, { ...init, signal: abort.signal, redirect: 'manual' })
      const { status, headers } = response
      return { status, headers, text: await textOf(response) }
    } catch (error) {
      if (signal?.aborted) throw new Stopped('the check was stopped')
      if (!abort.signal.aborted) throw failureOf(error, url)
      throw left < limit ? over : lateFailure(limit)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
  }
}

async function textOf({ body }: Response): Promise<string> {
  if (body === null) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    length += value.length
    text += decoder.decode(value, { stream: true })
    if (length <= maxAnswer) continue
    await reader.cancel()
    throw new CallFailure(
      'too_long',
      `The answer is longer than ${maxAnswer / 1000} kB`,
      'Answer as PROTOCOL.md says, and nothing more',
    )
  }
}
