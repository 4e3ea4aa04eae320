import type { EgressAnswer, EgressCalls } from '../../../../core/egress/egress.ts'
import { EgressError } from '../../../../core/egress/egress-error.ts'
import { CallError, type HostCall } from '../../../../core/sandbox/sandbox.ts'
import { secretHandles } from '../secret/secret-handles.ts'

/**
 * The globals of a handler's code: `event`, `fetch`, `secret` and `log`. It is one line, since the
 * sandbox counts the program's lines separately.
 */
export const handlerPrelude = `(function (host) {
  globalThis.event = input
  globalThis.secret = (name) => host.secret(String(name))
  globalThis.fetch = (url, options) => {
    const answer = host.fetch(String(url), options ?? {})
    return {
      ...answer,
      ok: answer.status >= 200 && answer.status < 300,
      text: () => answer.body,
      json: () => JSON.parse(answer.body),
    }
  }
})(globalThis.handler); delete globalThis.handler`

interface Parts {
  egress: EgressCalls
  secrets: ReadonlyMap<string, string>
  /** Called once per request, with a description. */
  onFetch: (text: string) => void
  now: () => number
}

/**
 * The calls of one run. A secret's handle is replaced by its value in headers and refused anywhere
 * else. The value leaves Grove only in those headers; if a receiver echoes it, the program gets the
 * name instead.
 */
export function programCalls({ egress, secrets, onFetch, now }: Parts): Record<string, HostCall> {
  const { handleOf, isIn, opened, hidden } = secretHandles(secrets)
  const hiddenIn = ({ headers, body, url, ...answer }: EgressAnswer): EgressAnswer => ({
    ...answer,
    url: hidden(url),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, hidden(value)]),
    ),
    body: hidden(body),
  })

  return {
    'handler.secret': async (name) => handleOf(name),
    'handler.fetch': async (url, options) => {
      const request = readRequest(url, options)
      if (isIn(request.url) || isIn(request.body ?? ''))
        throw new CallError('FetchError', 'A secret can only be used in headers.', {
          code: 'bad_request',
        })
      const entries = Object.entries(request.headers)
      const withSecrets = entries.filter(([, value]) => isIn(value))
      const started = now()
      const { host, pathname } = URL.canParse(request.url)
        ? new URL(request.url)
        : { host: '', pathname: '' }
      const what = `${request.method ?? 'GET'} ${host}${pathname}`
      try {
        const answer = await egress.fetch({
          ...request,
          headers: Object.fromEntries(entries.filter(([, value]) => !isIn(value))),
          credentials: Object.fromEntries(
            withSecrets.map(([name, value]) => [name, opened(value)]),
          ),
        })
        onFetch(
          `${what} → ${answer.status}, ${answer.body.length} characters, ${now() - started} ms`,
        )
        return hiddenIn(answer)
      } catch (error) {
        if (!(error instanceof EgressError)) throw error
        onFetch(`${what} → ${error.code}, ${now() - started} ms`)
        throw new CallError('FetchError', error.message, { code: error.code })
      }
    },
  }
}

interface Request {
  url: string
  method: string | undefined
  headers: Record<string, string>
  body: string | undefined
}

function readRequest(url: unknown, options: unknown): Request {
  const { method, headers, body } = Object(options) as Record<string, unknown>
  const given = Object.entries(Object(headers ?? {}) as Record<string, unknown>)
  const isText = (value: unknown): value is string => typeof value === 'string'
  if (!isText(url) || (method !== undefined && !isText(method)))
    throw new CallError('FetchError', 'fetch(url, { method, headers, body }) takes texts.', {
      code: 'bad_request',
    })
  const isObject = typeof body === 'object' && body !== null
  const names = given.map(([name]) => name.toLowerCase())
  return {
    url,
    method,
    headers: Object.fromEntries([
      // An object is sent as JSON.
      ...(isObject && !names.includes('content-type')
        ? [['content-type', 'application/json'] as const]
        : []),
      ...given.map(([name, value]) => [name, String(value)] as const),
    ]),
    body:
      body === undefined || body === null ? undefined : isText(body) ? body : JSON.stringify(body),
  }
}
