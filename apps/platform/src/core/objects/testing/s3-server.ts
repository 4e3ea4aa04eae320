import { AwsV4Signer } from 'aws4fetch'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { S3Address } from '../s3-address.ts'

/** Answers a request instead of the server; true if it did. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => boolean

export interface S3Server {
  address: S3Address
  /** In the format of `OBJECTS_URL`. */
  url: string
  objects: Map<string, Buffer>
  uploads: Map<string, UnfinishedUpload>
  /** `METHOD /path?query` of every request. */
  requests: string[]
  /** Intercepts each request until it is removed. */
  fault: Fault | undefined
  stop: () => Promise<void>
  /** Listens again on the same port. */
  restart: () => Promise<void>
}

export interface UnfinishedUpload {
  key: string
  startedAt: Date
  parts: Map<number, Buffer>
}

const bucket = 'grove-test'
const leastPart = 5 * 1024 * 1024
const [accessKeyId, secretAccessKey, region] = ['test-key', 'test/secret+key', 'eu-test-1']

class Refusal extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

/**
 * A server that speaks as much of S3 as an object store needs, and refuses what S3 refuses: a wrong
 * signature, a body with another hash, parts that are too small or have another tag.
 */
export async function startS3Server(): Promise<S3Server> {
  const objects = new Map<string, Buffer>()
  const uploads = new Map<string, UnfinishedUpload>()
  const requests: string[] = []
  const state: { fault: Fault | undefined } = { fault: undefined }
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    if (state.fault?.(request, response)) return
    void respond(request, response)
  })
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const {
      status = 200,
      headers = {},
      body = '',
    } = await answer(request, {
      objects,
      uploads,
    }).catch((error: unknown): Answer => {
      const { status, code } = error instanceof Refusal ? error : new Refusal(400, String(error))
      return { status, body: `<Error><Code>${code}</Code></Error>` }
    })
    response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers })
    response.end(request.method === 'HEAD' ? undefined : body)
  }
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await listen(0)
  const host = `127.0.0.1:${port}`
  const keys = `${accessKeyId}:${encodeURIComponent(secretAccessKey)}`
  return {
    address: {
      isSecure: false,
      host,
      bucket,
      prefix: 'grove/',
      region,
      accessKeyId,
      secretAccessKey,
      sessionToken: undefined,
    },
    url: `s3://${keys}@${host}/${bucket}/grove?region=${region}&tls=off`,
    objects,
    uploads,
    requests,
    get fault() {
      return state.fault
    },
    set fault(fault) {
      state.fault = fault
    },
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
    restart: async () => {
      await listen(port)
    },
  }
}

interface Answer {
  status?: number
  headers?: Record<string, string | number>
  body?: Buffer | string
}

type Content = Pick<S3Server, 'objects' | 'uploads'>

async function answer(request: IncomingMessage, content: Content): Promise<Answer> {
  const url = new URL(request.url ?? '', `http://${request.headers.host}`)
  await assertSignature(request, url)
  const body = await buffer(request)
  if (hashOf('sha256', body) !== request.headers['x-amz-content-sha256'])
    throw new Refusal(400, 'XAmzContentSHA256Mismatch')
  const [, ownBucket, ...rest] = decodeURIComponent(url.pathname).split('/')
  if (ownBucket !== bucket) throw new Refusal(404, 'NoSuchBucket')
  const key = rest.join('/')
  const query = url.searchParams
  if (key === '') return ofBucket(request.method ?? '', query, content)
  return query.has('uploads') || query.has('uploadId')
    ? ofUpload(request.method ?? '', key, query, body, content)
    : ofObject(request, key, body, content)
}

async function assertSignature(request: IncomingMessage, url: URL): Promise<void> {
  const { headers, method = '' } = request
  const given = headers.authorization ?? ''
  const names = /SignedHeaders=([^,]+)/.exec(given)?.[1]?.split(';') ?? []
  if (!names.includes('host') || !names.includes('x-amz-content-sha256'))
    throw new Refusal(403, 'AccessDenied')
  const signed = names.filter((name) => name !== 'host').map((name) => [name, headers[name]])
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    headers: Object.fromEntries(signed) as Record<string, string>,
    accessKeyId,
    secretAccessKey,
    region,
    service: 's3',
    datetime: String(headers['x-amz-date']),
    allHeaders: true,
  })
  if ((await signer.authHeader()) !== given) throw new Refusal(403, 'SignatureDoesNotMatch')
}

const pageOfNames = 3

function ofBucket(method: string, query: URLSearchParams, { objects, uploads }: Content): Answer {
  if (method === 'HEAD') return {}
  const prefix = query.get('prefix') ?? ''
  if (query.has('uploads')) {
    const found = [...uploads].filter(([, { key }]) => key.startsWith(prefix))
    const rows = found.map(
      ([id, { key, startedAt }]) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${startedAt.toISOString()}</Initiated></Upload>`,
    )
    return { body: `<ListMultipartUploadsResult>${rows.join('')}</ListMultipartUploadsResult>` }
  }
  const after = query.get('continuation-token') ?? ''
  const names = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after)
  const page = names.toSorted((a, b) => (a < b ? -1 : 1)).slice(0, pageOfNames)
  const next = names.length > page.length ? page.at(-1) : undefined
  return {
    body: `<ListBucketResult>${page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')}${
      next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`
    }</ListBucketResult>`,
  }
}

function ofObject(
  { method, headers }: IncomingMessage,
  key: string,
  body: Buffer,
  { objects }: Content,
): Answer {
  if (method === 'PUT') {
    objects.set(key, body)
    return { headers: { etag: tagOf(body) } }
  }
  if (method === 'DELETE') {
    objects.delete(key)
    return { status: 204 }
  }
  const object = objects.get(key)
  if (!object) throw new Refusal(404, 'NoSuchKey')
  const from = /^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1]
  const part = object.subarray(Number(from ?? 0))
  return {
    status: from === undefined ? 200 : 206,
    headers: { 'content-length': part.length },
    body: part,
  }
}

function ofUpload(
  method: string,
  key: string,
  query: URLSearchParams,
  body: Buffer,
  { objects, uploads }: Content,
): Answer {
  if (query.has('uploads')) {
    const id = `${randomUUID()}&`
    uploads.set(id, { key, startedAt: new Date(), parts: new Map() })
    const text = id.replace('&', '&amp;')
    return {
      body: `<InitiateMultipartUploadResult><UploadId>${text}</UploadId></InitiateMultipartUploadResult>`,
    }
  }
  const id = query.get('uploadId') ?? ''
  const upload = uploads.get(id)
  if (upload?.key !== key) throw new Refusal(404, 'NoSuchUpload')
  if (method === 'DELETE') {
    uploads.delete(id)
    return { status: 204 }
  }
  if (method === 'PUT') {
    upload.parts.set(Number(query.get('partNumber')), body)
    return { headers: { etag: tagOf(body) } }
  }
  if (method === 'GET') {
    const rows = [...upload.parts].map(
      ([number, part]) =>
        `<Part><PartNumber>${number}</PartNumber><ETag>${tagOf(part).replaceAll('"', '&quot;')}</ETag></Part>`,
    )
    return { body: `<ListPartsResult>${rows.join('')}</ListPartsResult>` }
  }
  const listed = [
    ...body
      .toString()
      .matchAll(
        /<Part><PartNumber>(\d+)<\/PartNumber><ETag>&quot;([\da-f]+)&quot;<\/ETag><\/Part>/g,
      ),
  ]
  const parts = listed.map(([, number, tag]) => {
    const part = upload.parts.get(Number(number))
    if (!part || tagOf(part) !== `"${tag}"`) throw new Refusal(400, 'InvalidPart')
    return part
  })
  if (parts.length === 0) throw new Refusal(400, 'MalformedXML')
  if (parts.slice(0, -1).some(({ length }) => length < leastPart))
    throw new Refusal(400, 'EntityTooSmall')
  objects.set(key, Buffer.concat(parts))
  uploads.delete(id)
  return { body: '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>' }
}

const hashOf = (name: string, bytes: Buffer) => createHash(name).update(bytes).digest('hex')
const tagOf = (bytes: Buffer) => `"${hashOf('md5', bytes)}"`
