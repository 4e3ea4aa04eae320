import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import { readJson } from '../json-depth.ts'
import { StartupError } from '../startup-error.ts'
import { hashesFor, plainHashes, readHashes } from './backup-hash.ts'

/** One entry of a backup: a table, an object or a file. */
export interface BackupEntry {
  name: string
  content: AsyncIterable<Buffer>
}

const magic = 'GROVE-BACKUP 2'
/** From versions that never keyed their hashes. */
const olderMagic = 'GROVE-BACKUP 1'

/**
 * A backup as one compressed stream: a line about its hashes; per entry a line with its name,
 * length-prefixed chunks of bytes, and their hash; finally the number of entries, also hashed.
 */
export function packBackup(
  entries: AsyncIterable<BackupEntry>,
  secret: string | undefined,
): Readable {
  const gzip = createGzip({ level: 1 })
  const source = Readable.from(write(entries, secret), { objectMode: false })
  source.on('error', (error) => gzip.destroy(error))
  gzip.on('close', () => source.destroy())
  return source.pipe(gzip)
}

async function* write(
  entries: AsyncIterable<BackupEntry>,
  secret: string | undefined,
): AsyncGenerator<Buffer, void> {
  const hashes = hashesFor(secret)
  yield Buffer.from(`${magic}\n${JSON.stringify(hashes.facts)}\n`)
  let count = 0
  for await (const { name, content } of entries) {
    const head = JSON.stringify({ name })
    yield Buffer.from(`${head}\n`)
    const hash = hashes.next(head)
    for await (const chunk of content) {
      if (chunk.length === 0) continue
      hash.update(chunk)
      yield lengthOf(chunk.length)
      yield chunk
    }
    yield lengthOf(0)
    yield hashes.end(hash)
    count += 1
  }
  const end = JSON.stringify({ end: count })
  yield Buffer.from(`${end}\n`)
  yield hashes.end(hashes.next(end))
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes)
  return length
}

/** The contents of a backup. */
export interface BackupContent {
  entries: number
  /** Whether only someone with `GROVE_SECRET` can have written it. */
  isKeyed: boolean
}

/**
 * Reads a backup from disk; each entry must be read to its end before the next.
 * @throws StartupError if it is not a backup, was truncated or changed, or is keyed with another
 * secret.
 */
export async function unpackBackup(
  file: string,
  secret: string | undefined,
  onEntry: (entry: BackupEntry) => Promise<void>,
): Promise<BackupContent> {
  const source = createReadStream(file)
  const gunzip = createGunzip()
  source.on('error', (error) => gunzip.destroy(error))
  const read = reader(source.pipe(gunzip))
  try {
    const first = await read.line()
    const isOlder = first === olderMagic
    if (!isOlder && first !== magic) throw damaged(file)
    const hashes = isOlder ? plainHashes : readHashes(await read.line(), secret, file)
    if (!hashes) throw damaged(file)
    const isKeyed = hashes.facts.shows === 'damage and forgery'
    let entries = 0
    for (;;) {
      const line = await read.line()
      const head = readJson(line) as { name?: string; end?: number } | null
      const hash = hashes.next(line)
      if (typeof head?.name !== 'string') {
        const isWhole = isOlder || hashes.end(hash).equals(await read.bytes(32))
        if (head?.end !== entries || !isWhole) throw damaged(file)
        return { entries, isKeyed }
      }
      const content = chunks(read, hash)
      await onEntry({ name: head.name, content })
      // The unread part.
      for await (const _ of content);
      if (!hashes.end(hash).equals(await read.bytes(32))) throw damaged(file)
      entries += 1
    }
  } catch (error) {
    // Node's own stream or JSON errors: not a backup of ours.
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
    if (next.done) throw new CutOffError('The backup is truncated.')
    held = held.length === 0 ? next.value : Buffer.concat([held, next.value])
  }
  const take = (length: number) => {
    const taken = held.subarray(0, length)
    held = held.subarray(length)
    return taken
  }
  // Longer than any line or chunk that we write.
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
  new StartupError(`${file} is not a backup of Grove, or it was truncated or changed.`, { cause })
