import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import { StartupError } from '../startup-error.ts'

/** One thing in a backup: what a table, an object or a file holds. */
export interface BackupEntry {
  name: string
  content: AsyncIterable<Buffer>
}

const magic = 'GROVE-BACKUP 1'

/**
 * A backup as one compressed stream: for each entry a line with its name, its bytes in chunks that
 * say how long they are, and their SHA-256; at the end how many entries there are.
 */
export function packBackup(entries: AsyncIterable<BackupEntry>): Readable {
  const gzip = createGzip({ level: 1 })
  const source = Readable.from(write(entries), { objectMode: false })
  source.on('error', (error) => gzip.destroy(error))
  gzip.on('close', () => source.destroy())
  return source.pipe(gzip)
}

async function* write(entries: AsyncIterable<BackupEntry>): AsyncGenerator<Buffer, void> {
  yield Buffer.from(`${magic}\n`)
  let count = 0
  for await (const { name, content } of entries) {
    yield Buffer.from(`${JSON.stringify({ name })}\n`)
    const hash = createHash('sha256')
    for await (const chunk of content) {
      if (chunk.length === 0) continue
      hash.update(chunk)
      yield lengthOf(chunk.length)
      yield chunk
    }
    yield lengthOf(0)
    yield hash.digest()
    count += 1
  }
  yield Buffer.from(`${JSON.stringify({ end: count })}\n`)
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes)
  return length
}

/**
 * Reads a backup from the disk; each entry is read to its end before the next. Returns how many there
 * are.
 * @throws StartupError when it is no backup, was cut off or changed.
 */
export async function unpackBackup(
  file: string,
  onEntry: (entry: BackupEntry) => Promise<void>,
): Promise<number> {
  const source = createReadStream(file)
  const gunzip = createGunzip()
  source.on('error', (error) => gunzip.destroy(error))
  const read = reader(source.pipe(gunzip))
  try {
    if ((await read.line()) !== magic) throw damaged(file)
    let count = 0
    for (;;) {
      const head = JSON.parse(await read.line()) as { name?: string; end?: number }
      if (head.name === undefined) {
        if (head.end !== count) throw damaged(file)
        return count
      }
      const hash = createHash('sha256')
      const content = chunks(read, hash)
      await onEntry({ name: head.name, content })
      // What was not read.
      for await (const _ of content);
      if (!hash.digest().equals(await read.bytes(32))) throw damaged(file)
      count += 1
    }
  } catch (error) {
    // Node's own errors of a stream or of JSON: the bytes are not ours.
    if (error instanceof CutOffError || error instanceof SyntaxError || isZlib(error))
      throw damaged(file, error)
    throw error
  } finally {
    source.destroy()
  }
}

async function* chunks(
  read: ReturnType<typeof reader>,
  hash: { update: (bytes: Buffer) => unknown },
): AsyncGenerator<Buffer, void> {
  for (;;) {
    const length = (await read.bytes(4)).readUInt32BE()
    if (length === 0) return
    const chunk = await read.bytes(length)
    hash.update(chunk)
    yield chunk
  }
}

class CutOffError extends Error {
  override readonly name = 'CutOffError'
}

function reader(stream: AsyncIterable<Buffer>) {
  const iterator = stream[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  const more = async () => {
    const next = await iterator.next()
    if (next.done) throw new CutOffError('The backup ends too early.')
    held = held.length === 0 ? next.value : Buffer.concat([held, next.value])
  }
  const take = (length: number) => {
    const taken = held.subarray(0, length)
    held = held.subarray(length)
    return taken
  }
  // Longer than any line and any chunk that we write.
  const longest = 64 * 1024 * 1024
  return {
    async bytes(length: number): Promise<Buffer> {
      if (length > longest) throw new CutOffError('The backup is damaged.')
      while (held.length < length) await more()
      return take(length)
    },
    async line(): Promise<string> {
      while (!held.includes(10)) {
        if (held.length > longest) throw new CutOffError('The backup is damaged.')
        await more()
      }
      const line = take(held.indexOf(10) + 1)
      return line.toString('utf8', 0, line.length - 1)
    },
  }
}

const isZlib = (error: unknown) =>
  error instanceof Error && String((error as NodeJS.ErrnoException).code).startsWith('Z_')

const damaged = (file: string, cause?: unknown) =>
  new StartupError(`${file} is no backup of Grove, or it was cut off or changed.`, { cause })
