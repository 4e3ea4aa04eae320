import http from 'node:http'
import https from 'node:https'
import { readJson } from '../../../core/json-depth.ts'

export interface Answer {
  status: number
  headers: http.IncomingHttpHeaders
  text: string
}

export type PostFailure = 'timeout' | 'connection' | 'large_answer'

/** No readable response: whether the request was accepted is unknown. */
export class PostError extends Error {
  override readonly name = 'PostError'
  readonly reason: PostFailure

  constructor(reason: PostFailure, options?: ErrorOptions) {
    super(reason, options)
    this.reason = reason
  }
}

export interface Connections {
  post: (
    url: URL,
    body: string,
    options: { headers: Record<string, string>; largestAnswer: number },
  ) => Promise<Answer>
}

/** Time limit for a whole response. */
const patienceMs = 10_000

/**
 * Posts over keep-alive connections. The server may hang, flood or answer anything: a response has a
 * time and size limit, and redirects are not followed. `node:http` takes half the time of `fetch`.
 */
export function openConnections(most: number, timeoutMs = patienceMs): Connections {
  const options = { keepAlive: true, maxSockets: most, maxFreeSockets: most }
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) }
  return {
    post: (url, body, { headers, largestAnswer }) =>
      new Promise((resolve, reject) => {
        const isPlain = url.protocol === 'http:'
        const request = (isPlain ? http : https).request(url, {
          method: 'POST',
          agent: agents[isPlain ? 'http:' : 'https:'],
          headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        })
        const fail = (reason: PostFailure, cause?: unknown) => {
          clearTimeout(timer)
          reject(new PostError(reason, { cause }))
          request.destroy()
        }
        // The whole response: a server that sends a byte per second is as good as silent.
        const timer = setTimeout(() => fail('timeout'), timeoutMs)
        request.on('error', (error) => fail('connection', error))
        request.on('response', (response) => {
          const parts: Buffer[] = []
          let bytes = 0
          response.on('data', (part: Buffer) => {
            bytes += part.length
            if (bytes > largestAnswer) fail('large_answer')
            else parts.push(part)
          })
          response.on('error', (error) => fail('connection', error))
          // Also after an aborted response.
          response.on('close', () => {
            if (!response.complete) fail('connection')
          })
          response.on('end', () => {
            clearTimeout(timer)
            const { statusCode: status = 0, headers: answered } = response
            resolve({ status, headers: answered, text: Buffer.concat(parts).toString() })
          })
        })
        request.end(body)
      }),
  }
}

/** `Retry-After` in milliseconds: seconds, or a date; at most a day. */
export function retryAfterMs(headers: http.IncomingHttpHeaders, now: number): number | undefined {
  const value = headers['retry-after']?.trim()
  if (value === undefined || value === '') return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), 86_400_000)
}

/** The JSON object in a text; undefined for anything else. */
export function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = readJson(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
