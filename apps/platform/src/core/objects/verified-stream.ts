import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { DamagedObjectError } from './object-store.ts'
import { openTurns } from './turns.ts'

/**
 * Hashing and sending a chunk takes a tenth of a millisecond or two. A hundred simultaneous downloads
 * would be noticeable.
 */
const turn = openTurns(2)

interface Verifying {
  sha256: string
  /** Its last bytes are about to be sent. */
  onRight?: () => void
}

/**
 * Holds each chunk back until the next one is there, and the last one until the hash is right. The
 * chunks are only requested when the stream is read, which may be never.
 */
export const verified = (
  chunks: () => AsyncIterable<Buffer>,
  { sha256, onRight }: Verifying,
): Readable =>
  toStream(async function* () {
    const hash = createHash('sha256')
    let held: Buffer | undefined
    for await (const chunk of chunks()) {
      await turn()
      hash.update(chunk)
      if (held) yield held
      held = chunk
    }
    if (hash.digest('hex') !== sha256) throw new DamagedObjectError(sha256)
    onRight?.()
    if (held) yield held
  })

/** The same for chunks that need no hash. */
export const inTurns = (chunks: () => AsyncIterable<Buffer>): Readable =>
  toStream(async function* () {
    for await (const chunk of chunks()) {
      await turn()
      yield chunk
    }
  })

const toStream = (chunks: () => AsyncIterable<Buffer>): Readable =>
  Readable.from(chunks(), { objectMode: false })
