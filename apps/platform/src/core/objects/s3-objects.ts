import type { IncomingMessage } from 'node:http'
import { StartupError } from '../startup-error.ts'
import { ObjectsUnavailableError, type ObjectStore } from './object-store.ts'
import type { S3Address } from './s3-address.ts'
import { partBytes, putInParts, sweepUploads } from './s3-multipart.ts'
import { createSendS3, readText, S3Error, unavailable, type SendS3 } from './s3-request.ts'
import { textOf, textsOf } from './s3-xml.ts'
import { openStaging } from './staging.ts'
import { verified } from './verified-stream.ts'

export interface S3Options {
  address: S3Address
  /** Where files are staged before they are sent. */
  stagingFolder: string
  now?: () => number
  /** How long the service may be silent. */
  idleMs?: number
}

/**
 * Objects in a bucket of an S3-compatible service, as `<prefix><sha256>`. An object is sent whole or
 * completed from its parts in one step, so it only becomes visible once all of it is there.
 */
export async function openS3Objects(options: S3Options): Promise<ObjectStore> {
  const { address, now = Date.now } = options
  const send = createSendS3(address, options.idleMs)
  const nameOf = (sha256: string) => address.prefix + sha256
  const size = async (sha256: string) => {
    const answer = await found(send({ method: 'HEAD', name: nameOf(sha256) }))
    answer?.resume()
    return answer && Number(answer.headers['content-length'])
  }
  const keep = async (path: string, sha256: string, bytes: number) => {
    const name = nameOf(sha256)
    if (bytes > partBytes) await putInParts(send, name, path, bytes)
    else {
      const body = { path, start: 0, bytes, sha256 }
      const answer = await send({ method: 'PUT', name, body })
      answer.resume()
    }
    if ((await size(sha256)) !== bytes)
      throw unavailable(new Error('an object is not as long as what was sent'))
  }
  const staging = await openStaging(options.stagingFolder, ({ path, sha256, bytes }) => ({
    flush: async () => {},
    keep: () => keep(path, sha256, bytes),
  }))
  await assertBucket(send, address)
  return {
    ...staging,
    read: async (sha256) => {
      const name = nameOf(sha256)
      const answer = await found(send({ method: 'GET', name }))
      if (!answer) return undefined
      const bytes = Number(answer.headers['content-length'])
      const stream = verified(() => whole(send, name, answer, bytes), { sha256 })
      // Also for a stream that nobody has read.
      stream.once('close', () => answer.destroy())
      return { stream, bytes }
    },
    size,
    list: () => listNames(send, address.prefix),
    remove: async (sha256) => {
      const answer = await send({ method: 'DELETE', name: nameOf(sha256) })
      answer.resume()
    },
    sweep: async () => {
      await staging.sweep()
      await sweepUploads(send, address.prefix, now())
    },
    ping: async () => {
      await staging.ping()
      const answer = await send({ method: 'HEAD' })
      answer.resume()
    },
  }
}

/** @throws StartupError if the bucket refuses us; a service that is unavailable may come back. */
async function assertBucket(send: SendS3, { host, bucket }: S3Address): Promise<void> {
  try {
    const answer = await send({ method: 'HEAD' })
    answer.resume()
  } catch (error) {
    const refusal = error instanceof ObjectsUnavailableError ? error.cause : error
    if (!(refusal instanceof S3Error) || refusal.status >= 500) return
    // A response to HEAD does not say why; S3 refuses signatures that are fifteen minutes off.
    const minutes = Math.round(refusal.aheadMs / 60_000)
    if (refusal.status === 403 && Math.abs(minutes) >= 5)
      throw new StartupError(
        `The clock of this machine is ${Math.abs(minutes)} minutes ${minutes > 0 ? 'ahead of' : 'behind'} that of the bucket at ${host}, which refuses the connection (403): set the clock.`,
        { cause: error },
      )
    throw new StartupError(
      `The bucket ${bucket} at ${host} refuses the connection (${refusal.status}): make it, or correct OBJECTS_URL.`,
      { cause: error },
    )
  }
}

const found = (answer: Promise<IncomingMessage>) =>
  answer.catch((error: unknown) => {
    if (error instanceof S3Error && error.status === 404) return undefined
    throw error
  })

const tries = 3

/** All bytes of an object; if the connection breaks, the rest is requested. */
async function* whole(
  send: SendS3,
  name: string,
  first: IncomingMessage,
  bytes: number,
): AsyncGenerator<Buffer, void> {
  let answer = first
  let at = 0
  for (let fruitless = 0; ; fruitless += 1) {
    try {
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        at += chunk.length
        fruitless = 0
        yield chunk
      }
      if (at >= bytes) return
      throw new Error('the answer was cut off')
    } catch (error) {
      if (fruitless + 1 >= tries) throw unavailable(error)
    }
    answer = await send({ method: 'GET', name, headers: { range: `bytes=${at}-` } })
    if (answer.statusCode !== 206) {
      answer.destroy()
      throw unavailable(new Error('the service has no ranges'))
    }
  }
}

async function* listNames(send: SendS3, prefix: string): AsyncGenerator<string, void> {
  let token: string | undefined
  do {
    const query = { 'list-type': '2', prefix, ...(token && { 'continuation-token': token }) }
    const xml = await readText(await send({ method: 'GET', query }))
    for (const key of textsOf(xml, 'Key')) {
      const name = key.slice(prefix.length)
      if (/^[\da-f]{64}$/.test(name)) yield name
    }
    token = textOf(xml, 'NextContinuationToken')
  } while (token !== undefined)
}
