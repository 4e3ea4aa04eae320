import { createHash } from 'node:crypto'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'

export interface Written {
  sha256: string
  bytes: number
}

const batchBytes = 1024 * 1024

/** Writes a new file, hashed and counted on the way; leaves none behind when it fails. */
export async function writeHashed(path: string, chunks: AsyncIterable<Buffer>): Promise<Written> {
  const hash = createHash('sha256')
  const batch = Buffer.allocUnsafeSlow(batchBytes)
  let gathered = 0
  let bytes = 0
  const file = openSync(path, 'wx', 0o600)
  const write = (piece: Buffer) => {
    hash.update(piece)
    for (let at = 0; at < piece.length;) at += writeSync(file, piece, at)
    bytes += piece.length
  }
  try {
    for await (const chunk of chunks) {
      if (gathered + chunk.length > batchBytes) {
        write(batch.subarray(0, gathered))
        gathered = 0
      }
      if (chunk.length > batchBytes) write(chunk)
      else gathered += chunk.copy(batch, gathered)
    }
    write(batch.subarray(0, gathered))
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
  return { sha256: hash.digest('hex'), bytes }
}
