import { createHash } from 'node:crypto'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'

export interface Written {
  sha256: string
  bytes: number
}

/** A new file that is hashed and counted while it is written. */
export interface HashedFile {
  /** Bytes so far. */
  bytes: () => number
  write: (chunk: Buffer) => void
  end: () => Written
  /** Closes the file, if open, and removes it. */
  discard: () => void
}

const batchBytes = 1024 * 1024

export function openHashedFile(path: string): HashedFile {
  const hash = createHash('sha256')
  const batch = Buffer.allocUnsafeSlow(batchBytes)
  const file = openSync(path, 'wx', 0o600)
  let gathered = 0
  let bytes = 0
  let isOpen = true
  const put = (piece: Buffer) => {
    hash.update(piece)
    for (let at = 0; at < piece.length;) at += writeSync(file, piece, at)
  }
  const flush = () => {
    put(batch.subarray(0, gathered))
    gathered = 0
  }
  const close = () => {
    if (isOpen) closeSync(file)
    isOpen = false
  }
  return {
    bytes: () => bytes,
    write: (chunk) => {
      if (gathered + chunk.length > batchBytes) flush()
      if (chunk.length > batchBytes) put(chunk)
      else gathered += chunk.copy(batch, gathered)
      // Last: a failed chunk does not count.
      bytes += chunk.length
    },
    end: () => {
      flush()
      close()
      return { sha256: hash.digest('hex'), bytes }
    },
    discard: () => {
      close()
      rmSync(path, { force: true })
    },
  }
}

/** Writes a new file; removes it on failure. */
export async function writeHashed(path: string, chunks: AsyncIterable<Buffer>): Promise<Written> {
  const file = openHashedFile(path)
  try {
    for await (const chunk of chunks) file.write(chunk)
    return file.end()
  } catch (error) {
    file.discard()
    throw error
  }
}
