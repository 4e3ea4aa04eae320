import aws4 from 'aws4'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Agent as HttpAgent, request as requestHttp, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { setTimeout } from 'node:timers/promises'
import { ObjectsUnavailableError } from './object-store.ts'
import type { S3Address } from './s3-address.ts'
import { textOf } from './s3-xml.ts'

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** With the prefix; without a name the request is about the bucket. */
  name?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: string | FilePart
}

/** A part of a local file; the service checks what arrives against its hash. */
export interface FilePart {
  path: string
  start: number
  bytes: number
  sha256: string
}

export type SendS3 = (request: S3Request) => Promise<IncomingMessage>

/** The service refused a request. */
export class S3Error extends Error {
  override readonly name = 'S3Error'
  readonly status: number
  /** Such as `NoSuchKey`. */
  readonly s3Code: string
  /** Milliseconds by which this machine's clock is ahead of the service's; NaN if unknown. */
  readonly aheadMs: number

  constructor(status: number, s3Code: string, request: S3Request, date?: string) {
    super(`S3 answered ${request.method} with ${status} ${s3Code}.`)
    this.status = status
    this.s3Code = s3Code
    this.aheadMs = Date.now() - Date.parse(date ?? '')
  }
}

const attempts = 3
const firstWaitMs = 200

/** Signs and sends requests; retries where that can help. */
export function createSendS3(address: S3Address, idleMs = 10_000): SendS3 {
  const agent = address.isSecure
    ? new HttpsAgent({ keepAlive: true, maxSockets: 32 })
    : new HttpAgent({ keepAlive: true, maxSockets: 32 })
  const once = async (request: S3Request): Promise<IncomingMessage> => {
    const answer = await sendOnce(address, request, agent, idleMs)
    const status = answer.statusCode ?? 0
    if (status >= 200 && status < 300) return answer
    throw new S3Error(
      status,
      textOf(await readText(answer), 'Code') ?? '',
      request,
      answer.headers.date,
    )
  }
  return async (request) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await once(request)
      } catch (error) {
        if (attempt < attempts && mayHelp(error)) await setTimeout(firstWaitMs * 4 ** (attempt - 1))
        else throw asStoreError(error)
      }
    }
  }
}

const isTransient = ({ status }: S3Error) => status >= 500 || status === 429 || status === 408

// After many seconds of silence, a second attempt would only keep the caller waiting.
const mayHelp = (error: unknown) =>
  error instanceof S3Error
    ? isTransient(error) && !isFull(error)
    : (error as NodeJS.ErrnoException).code !== 'ETIMEDOUT'

const isFull = ({ status, s3Code }: S3Error) =>
  status === 507 || /StorageFull|QuotaExceeded|InsufficientCapacity/.test(s3Code)

/** What the caller can act on: unavailable, full, or an error of ours. */
function asStoreError(error: unknown): unknown {
  if (!(error instanceof S3Error)) return unavailable(error)
  if (isFull(error)) return Object.assign(error, { code: 'ENOSPC' })
  // A revoked key or a wrong clock is for an administrator to fix, not the caller.
  return isTransient(error) || error.status === 403 ? unavailable(error) : error
}

export const unavailable = (cause: unknown) =>
  new ObjectsUnavailableError(
    `The object storage does not answer: ${cause instanceof Error ? cause.message : String(cause)}`,
    { cause },
  )

function sendOnce(
  address: S3Address,
  { method, name, query = {}, headers = {}, body }: S3Request,
  agent: HttpAgent,
  idleMs: number,
): Promise<IncomingMessage> {
  const { isSecure, host, bucket, region } = address
  const path = `/${bucket}${name === undefined ? '' : `/${name}`}`
  const search = new URLSearchParams(query).toString()
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : (body?.bytes ?? 0)
  const signed = aws4.sign(
    {
      service: 's3',
      region,
      host,
      method,
      path: search === '' ? path : `${path}?${search}`,
      headers: {
        ...headers,
        ...((method === 'PUT' || method === 'POST') && { 'content-length': bytes }),
        'x-amz-content-sha256': typeof body === 'object' ? body.sha256 : sha256Of(body ?? ''),
      },
    },
    address,
  )
  const { hostname, port } = new URL(`${isSecure ? 'https' : 'http'}://${host}`)
  return new Promise((resolve, reject) => {
    const options = { hostname, port, agent, method, path: signed.path, headers: signed.headers }
    const outgoing = (isSecure ? requestHttps : requestHttp)(options as object, resolve)
    const silence = () =>
      Object.assign(new Error(`no answer for ${idleMs / 1000} seconds`), { code: 'ETIMEDOUT' })
    // Nothing in either direction; on the response it ends the stream with this error.
    outgoing.setTimeout(idleMs, () => outgoing.destroy(silence()))
    outgoing.on('error', reject)
    if (typeof body !== 'object') outgoing.end(body)
    else
      createReadStream(body.path, { start: body.start, end: body.start + body.bytes - 1 })
        .once('error', (error) => outgoing.destroy(error))
        .pipe(outgoing)
  })
}

const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex')

const maxTextLength = 8 * 1024 * 1024

/** The body of a response in XML. */
export async function readText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxTextLength) throw new Error('S3 answered with a page that is too long.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
