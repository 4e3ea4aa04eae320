import type { Readable } from 'node:stream'
import { ProblemError } from '../../../core/http/problem.ts'

/** A file as it comes in: from a request, or from the disk for the sample workspace. */
export interface IncomingFile {
  /** As the sender named it: shown, never used as a path. */
  fileName: string
  stream: Readable
  /** Rejects when the stream ended early because the file is larger than allowed. */
  assertComplete?: (() => Promise<void>) | undefined
}

/** Reads a small file whole. */
export async function readWhole(file: IncomingFile, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of file.stream as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostBytes)
      throw new ProblemError('file_too_large', `The file is larger than ${mostBytes} bytes.`)
    chunks.push(chunk)
  }
  await file.assertComplete?.()
  return Buffer.concat(chunks)
}
