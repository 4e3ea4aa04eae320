import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { ProblemError } from '../../../core/http/problem.ts'
import type { ImportContext } from '../context.ts'
import { hashOfSecret } from '../device-credential/device-credential.service.ts'
import { can } from '../maple.rules.ts'
import { processActor } from '../../../core/actor.ts'
import { findImage, findReader } from './binary-image.queries.ts'
import { isForProduct, openBytes } from './binary-image.service.ts'

interface Download {
  status: 200 | 206 | 304 | 416
  headers: Record<string, string | number>
  stream: Readable
}

/**
 * An image, or the range of it that a device asks for.
 * @throws ProblemError `unauthorized`, `not_found`, `binary_image_closed` or `file_damaged`.
 */
export async function openForDevice(
  { db, objects }: Pick<ImportContext, 'db' | 'objects'>,
  { id, headers }: { id: string; headers: IncomingHttpHeaders },
): Promise<Download> {
  const secret = /^Bearer ([\w-]{43})$/.exec(headers.authorization ?? '')?.[1]
  const reader = secret && (await findReader(db, hashOfSecret(secret)))
  if (!reader)
    throw new ProblemError(
      'unauthorized',
      'The secret opens nothing, or the device is not accepted.',
    )
  const image = await findImage(db, id, reader.serviceId)
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
  const { stream } = await openBytes({ db, objects }, image.sha256)
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

interface Range {
  from: number
  /** The byte behind the last. */
  to: number
}

/** One range as RFC 9110 has it; several at once are answered by the whole file. */
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
  // The wrong way round it is no range at all.
  return to > from ? { from, to } : undefined
}

/** Objects are read from their start, which hashes them: what is before the range is dropped. */
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
