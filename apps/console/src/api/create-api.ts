import { queryOptions } from '@tanstack/react-query'
import { address } from './address.ts'
import { ApiProblem, isAbort, NetworkProblem, parseProblem } from './problem.ts'
import { invalidate } from './query-client.ts'
import type {
  AnswerOf,
  InputOf,
  Method,
  OptionalArgument,
  OptionsOf,
  PathOf,
  ServiceName,
  Services,
  UploadPath,
} from './types.ts'
import type { Authorization, UploadOptions } from './upload.ts'

type Fetch = (input: string, init: RequestInit & { apiVersion?: string }) => Promise<Response>

/** What was requested from a service that may be third-party. */
export interface ForeignCall {
  service: 'cedar' | 'maple'
  method: Method
  path: string
  options: AnyOptions
}

/** The answer, with `json` typed by the contract. Rejects on a refusal or an unreadable body. */
export type ReadForeign = (call: ForeignCall, response: Response) => Promise<Response>

interface Connection {
  fetch: Fetch
  services: Services
  /** For uploads, which do not go through `fetch`: what it would add to a request. */
  authorization?: Authorization
  headers?: (input: string) => Promise<Record<string, string>>
  /** Loaded for the answers of third-party services. */
  foreign: () => Promise<ReadForeign>
}

interface AnyOptions {
  params?: Record<string, string | number>
  query?: Record<string, string | number | boolean>
  body?: unknown
  signal?: AbortSignal
  ifMatch?: number
}

/**
 * The calls of each service, typed from the contract. A failure rejects with ApiProblem,
 * NetworkProblem or an abort.
 */
export const createApi = (connection: Connection) => ({
  auth: serviceApi('auth', connection),
  cedar: serviceApi('cedar', connection),
  maple: serviceApi('maple', connection),
})

function serviceApi<S extends ServiceName>(name: S, connection: Connection) {
  const service = connection.services[name]
  const send = async (method: Method, path: string, options: AnyOptions = {}) => {
    const headers: Record<string, string> = { accept: 'application/json' }
    if (options.body !== undefined) headers['content-type'] = 'application/json'
    if (options.ifMatch !== undefined) headers['if-match'] = `"${options.ifMatch}"`
    let response: Response
    try {
      response = await connection.fetch(
        service.url + address(path, options.params, options.query),
        {
          method,
          headers,
          apiVersion: service.apiVersion,
          ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
          ...(options.signal ? { signal: options.signal } : {}),
        },
      )
    } catch (error) {
      throw isAbort(error) || error instanceof ApiProblem ? error : new NetworkProblem(error)
    }
    return receive(response, { method, path, options })
  }

  const receive = async (response: Response, asked: Omit<ForeignCall, 'service'>) => {
    // Grove's own services validate what they send with the schemas that these types come from.
    if (name !== 'auth' && !response.headers.has('platform'))
      return (await connection.foreign())({ service: name, ...asked }, response)
    const retryAfter = response.headers.get('retry-after')
    if (!response.ok) throw parseProblem(await response.text(), response.status, retryAfter)
    return response
  }

  const json = async <M extends Method, P extends string>(
    method: M,
    path: P,
    options?: AnyOptions,
  ) => {
    const response = await send(method, path, options)
    return (response.status === 204 ? null : await response.json()) as AnswerOf<M, P>
  }
  const call =
    <M extends Method>(method: M) =>
    <P extends PathOf<S, M>>(path: P, ...[options]: OptionalArgument<OptionsOf<M, P>>) =>
      json(method, path, options)
  const file =
    <M extends Method>(method: M) =>
    async <P extends PathOf<S, M>>(path: P, ...[options]: OptionalArgument<OptionsOf<M, P>>) => {
      const response = await send(method, path, options)
      return { blob: await response.blob(), fileName: fileNameOf(response.headers) }
    }

  return {
    get: call('GET'),
    post: call('POST'),
    put: call('PUT'),
    delete: call('DELETE'),

    /** A file and the name the server gave it. */
    download: file('GET'),
    /** As above, typed by the body. */
    downloadBy: file('POST'),

    /** Uploads one file with its form fields and reports its progress. */
    async upload<P extends UploadPath<S> & UploadPath>(path: P, options: UploadOptions<P>) {
      // Loaded on demand: most pages upload nothing.
      const { upload } = await import('./upload.ts').catch((error: unknown) => {
        throw new NetworkProblem(error)
      })
      const headers = await connection.headers?.(service.url + path)
      const response = await upload(
        service,
        path,
        { ...options, headers },
        connection.authorization,
      )
      const sent = { method: 'POST', path, options: { body: options.fields } } as const
      return (await (await receive(response, sent)).json()) as AnswerOf<'POST', P>
    },

    /** A cached GET with the key `[service, path, options]`. */
    query<P extends PathOf<S, 'GET'>>(path: P, ...[options]: OptionalArgument<InputOf<'GET', P>>) {
      const input: AnyOptions = options ?? {}
      return queryOptions({
        queryKey: [name, path, input] as const,
        queryFn: ({ signal }) => json('GET', path, { ...input, signal }),
      })
    },

    /** Invalidates every answer at or below a path, and refetches those in use. */
    invalidate: (path: PathOf<S, 'GET'>, options?: { except?: readonly unknown[] }) =>
      invalidate(name, path, options),
  }
}

/** RFC 6266: `filename*` holds the full name, `filename` only what ASCII can express. */
export function fileNameOf(headers: Headers) {
  const value = headers.get('content-disposition') ?? ''
  const extended = /filename\*=utf-8''([^;]+)/i.exec(value)?.[1]
  if (extended) return decodeURIComponent(extended)
  return /filename="((?:[^"\\]|\\.)*)"/i.exec(value)?.[1]?.replaceAll(/\\(.)/g, '$1')
}
