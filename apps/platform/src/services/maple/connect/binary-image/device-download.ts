import type { X509Certificate } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { openBytes } from '../../../../core/artifact/artifact-service.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { FleetContext } from '../../fleet/context.ts'
import { hashOfSecret } from '../device-credential/device-credential.service.ts'
import { findCertified } from '../certificate-authority/admit-certificate.ts'
import { can } from '../connect.policy.ts'
import { processActor } from '../../../../core/actor.ts'
import { scopeOfService } from '../../../../core/scope.ts'
import { findImage, findReader } from './binary-image.queries.ts'
import { isForProduct } from './binary-image.service.ts'

interface DeviceRequest {
  headers: IncomingHttpHeaders
  /** The device's TLS client certificate. */
  certificate: X509Certificate | undefined
}

interface Download {
  status: 200 | 206 | 304 | 416
  headers: Record<string, string | number>
  stream: Readable
}

/**
 * An image, or the requested range of it.
 * @throws ProblemError `unauthorized`, `not_found`, `binary_image_closed` or `file_damaged`.
 */
export async function openForDevice(
  context: Pick<FleetContext, 'db' | 'objects' | 'now'>,
  { id, headers, certificate }: { id: string } & DeviceRequest,
): Promise<Download> {
  const { db, objects } = context
  const reader = await readerOf(context, { headers, certificate })
  if (!reader)
    throw new ProblemError(
      'unauthorized',
      'The secret or the certificate is invalid, or the device is not accepted.',
    )
  const image = await findImage(db, id, scopeOfService(reader.serviceId))
  if (!image || image.serviceId !== reader.serviceId || !isForProduct(image, reader.productId))
    throw new ProblemError('not_found', 'There is no such image.')
  const refused = can(processActor('download of a device'), 'image.install', {
    image: image.state,
    product: reader.product,
  })
  if (refused) throw new ProblemError(refused.code, refused.detail)

  const etag = `"${image.sha256}"`
  const common = { etag, 'accept-ranges': 'bytes' }
  if (headers['if-none-match'] === etag)
    return { status: 304, headers: common, stream: Readable.from([]) }
  const isSame = headers['if-range'] === undefined || headers['if-range'] === etag
  const range = isSame ? rangeOf(headers.range, image.bytes) : undefined
  if (range === 'none')
    return {
      status: 416,
      headers: { ...common, 'content-range': `bytes */${image.bytes}` },
      stream: Readable.from([]),
    }
  const stream = await openBytes({ objects }, image.sha256)
  if (!range) return { status: 200, headers: { ...common, 'content-length': image.bytes }, stream }
  const { from, to } = range
  return {
    status: 206,
    headers: {
      ...common,
      'content-length': to - from,
      'content-range': `bytes ${from}-${to - 1}/${image.bytes}`,
    },
    stream: Readable.from(between(stream, from, to), { objectMode: false }),
  }
}

async function readerOf(
  context: Pick<FleetContext, 'db' | 'now'>,
  { headers: { authorization }, certificate }: DeviceRequest,
) {
  const secret = /^Bearer ([\w-]{43})$/.exec(authorization ?? '')?.[1]
  if (secret !== undefined) return findReader(context.db, { secretHash: hashOfSecret(secret) })
  const deviceId = certificate && (await findCertified(context, certificate))
  return deviceId === undefined ? undefined : findReader(context.db, { deviceId })
}

interface Range {
  from: number
  /** The end (exclusive). */
  to: number
}

/** A single range (RFC 9110); for several the whole file is returned. */
export function rangeOf(header: string | undefined, bytes: number): Range | 'none' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') {
    const size = Math.min(Number(last), bytes)
    return size === 0 ? 'none' : { from: bytes - size, to: bytes }
  }
  const from = Number(first)
  const to = last === '' ? bytes : Math.min(Number(last) + 1, bytes)
  if (from >= bytes) return 'none'
  // A reversed range is invalid.
  return to > from ? { from, to } : undefined
}

/** Objects are read from their start, which hashes them: bytes before the range are dropped. */
async function* between(stream: Readable, from: number, to: number): AsyncGenerator<Buffer> {
  let at = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const start = Math.max(from - at, 0)
    const end = Math.min(to - at, chunk.length)
    if (end > start) yield chunk.subarray(start, end)
    at += chunk.length
    if (at >= to) return
  }
}
