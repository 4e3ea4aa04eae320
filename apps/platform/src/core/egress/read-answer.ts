import { pipeline } from 'node:stream/promises'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { EgressError } from './egress-error.ts'

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const

/** Reads a whole body; the limit applies to the decoded size. @throws EgressError `too_large`. */
export async function readAnswer(
  body: Readable,
  { encoding, most, signal }: { encoding: string; most: number; signal: AbortSignal },
): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  let failure: EgressError | undefined
  const keep = async (source: AsyncIterable<Buffer>) => {
    for await (const part of source) {
      bytes += part.length
      if (bytes > most) {
        failure = new EgressError('too_large', `The answers have more than ${most} bytes.`)
        throw failure
      }
      parts.push(part)
    }
  }
  const decode = decoderOf(encoding)
  try {
    if (decode) await pipeline(body, decode, keep, { signal })
    else await pipeline(body, keep, { signal })
  } catch (error) {
    // For a failure behind a decoder, the pipeline only reports an abort.
    throw failure ?? error
  }
  return Buffer.concat(parts)
}

function decoderOf(encoding: string) {
  const name = encoding.trim().toLowerCase()
  if (name === '' || name === 'identity') return undefined
  if (Object.hasOwn(decoders, name)) return decoders[name as keyof typeof decoders]()
  throw new EgressError('bad_request', `The answer has the encoding ${name}, which is not read.`)
}
