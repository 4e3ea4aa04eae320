import { address, serviceOf, type Services } from './address.ts'
import { ApiProblem, isAbort, NetworkProblem, parseProblem } from './problem.ts'
import type { AnswerOf, Method, OptionalArgument, OptionsOf, PathOf } from './types.ts'

type Fetch = (input: string, init: RequestInit & { apiVersion?: string }) => Promise<Response>

interface AnyOptions {
  params?: Record<string, string | number>
  query?: Record<string, string | number | boolean>
  body?: unknown
  signal?: AbortSignal
  ifMatch?: number
}

/** Calls typed from the contract; a failure rejects with ApiProblem, NetworkProblem or an abort. */
export function createApi({ fetch, services }: { fetch: Fetch; services: Services }) {
  const send = async (method: Method, path: string, options: AnyOptions = {}) => {
    const service = services[serviceOf(path)]
    const headers: Record<string, string> = { accept: 'application/json' }
    if (options.body !== undefined) headers['content-type'] = 'application/json'
    if (options.ifMatch !== undefined) headers['if-match'] = `"${options.ifMatch}"`
    let response: Response
    try {
      response = await fetch(service.url + address(path, options.params, options.query), {
        method,
        headers,
        apiVersion: service.apiVersion,
        ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
        ...(options.signal ? { signal: options.signal } : {}),
      })
    } catch (error) {
      throw isAbort(error) || error instanceof ApiProblem ? error : new NetworkProblem(error)
    }
    const retryAfter = response.headers.get('retry-after')
    if (!response.ok) throw parseProblem(await response.text(), response.status, retryAfter)
    return response
  }

  const json =
    <M extends Method>(method: M) =>
    async <P extends PathOf<M>>(path: P, ...[options]: OptionalArgument<OptionsOf<M, P>>) => {
      const response = await send(method, path, options)
      // The server validates what it sends by the same schema that this type comes from.
      return (response.status === 204 ? null : await response.json()) as AnswerOf<M, P>
    }

  return {
    get: json('GET'),
    post: json('POST'),
    put: json('PUT'),
    delete: json('DELETE'),
    /** A file and the name that the server gave it. */
    async download<P extends PathOf<'GET'>>(
      path: P,
      ...[options]: OptionalArgument<OptionsOf<'GET', P>>
    ) {
      const response = await send('GET', path, options)
      return { blob: await response.blob(), fileName: fileNameOf(response.headers) }
    },
  }
}

/** RFC 6266: `filename*` holds the whole name, `filename` only what fits in ASCII. */
export function fileNameOf(headers: Headers) {
  const value = headers.get('content-disposition') ?? ''
  const extended = /filename\*=utf-8''([^;]+)/i.exec(value)?.[1]
  if (extended) return decodeURIComponent(extended)
  return /filename="((?:[^"\\]|\\.)*)"/i.exec(value)?.[1]?.replaceAll(/\\(.)/g, '$1')
}
