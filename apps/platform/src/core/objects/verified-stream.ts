import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { DamagedObjectError } from './object-store.ts'

/**
 * Holds each chunk back until the next one is there, and the last one until the hash is right. The
 * chunks are asked for when the stream is read, which may be never.
 */
export function verified(chunks: () => AsyncIterable<Buffer>, sha256: string): Readable {
  return Readable.from(
    (async function* () {
      const hash = createHash('sha256')
      let held: Buffer | undefined
      for await (const chunk of chunks()) {
        hash.update(chunk)
        if (held) yield held
        held = chunk
      }
      if (hash.digest('hex') !== sha256) throw new DamagedObjectError(sha256)
      if (held) yield held
    })(),
    { objectMode: false },
  )
}
