import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { StartupError } from '../startup-error.ts'
import type { ObjectStore, OnWritten, Written } from './object-store.ts'

const batchBytes = 1024 * 1024

/** Objects as files: `<folder>/ab/abcdef…`, staged in `<folder>/staged`. */
export async function openFolderObjects(folder: string): Promise<ObjectStore> {
  const staged = join(folder, 'staged')
  try {
    await mkdir(staged, { recursive: true, mode: 0o700 })
    await clearAbandoned(staged)
  } catch (cause) {
    throw new StartupError(
      `The folder ${folder} cannot be written (${(cause as NodeJS.ErrnoException).code}). Give this user write access or set GROVE_DATA to another folder.`,
      { cause },
    )
  }
  const pathOf = (sha256: string) => join(folder, sha256.slice(0, 2), sha256)

  const stageFile: ObjectStore['stageFile'] = async (write) => {
    const path = join(staged, randomUUID())
    const discard = () => rm(path, { force: true })
    let flushed: Promise<void> | undefined
    const flush = () => {
      flushed ??= syncFile(path)
      // Until `keep` awaits it a failure here must not count as unhandled.
      flushed.catch(() => {})
      return flushed
    }
    const { sha256, bytes } = await write(path).catch(async (error: unknown) => {
      await discard()
      throw error
    })
    return {
      sha256,
      bytes,
      path,
      flush,
      keep: async () => {
        // Without this a power cut could leave a name with no bytes behind it.
        await flush()
        const place = join(folder, sha256.slice(0, 2))
        const isNew = await mkdir(place, { recursive: true, mode: 0o700 })
        await rename(path, pathOf(sha256))
        await syncFolder(place)
        // A folder's own name is an entry of the one above it.
        if (isNew !== undefined) await syncFolder(folder)
      },
      discard,
    }
  }

  return {
    stage: (source, onWritten) => stageFile((path) => writeStream(path, source, onWritten)),
    stageFile,
    read: async (sha256) => {
      const info = await stat(pathOf(sha256)).catch(() => undefined)
      return info && { stream: verified(pathOf(sha256), sha256), bytes: info.size }
    },
    async *list() {
      for (const place of await readdir(folder)) {
        if (!/^[\da-f]{2}$/.test(place)) continue
        for (const name of await readdir(join(folder, place)))
          if (/^[\da-f]{64}$/.test(name)) yield name
      }
    },
    remove: (sha256) => rm(pathOf(sha256), { force: true }),
    ping: async () => {
      const path = join(staged, randomUUID())
      try {
        // A full disk still takes an empty file.
        await writeFile(path, 'ping', { flag: 'wx', mode: 0o600, flush: true })
      } finally {
        await rm(path, { force: true })
      }
    },
  }
}

/** The stored bytes are not the ones that were kept. */
export class DamagedObjectError extends Error {
  override readonly name = 'DamagedObjectError'
  readonly sha256: string

  constructor(sha256: string) {
    super(`The object ${sha256} is damaged: its bytes have another hash.`)
    this.sha256 = sha256
  }
}

/** Holds each chunk back until the next one is there, and the last one until the hash is right. */
function verified(path: string, sha256: string): Readable {
  return Readable.from(
    (async function* () {
      const hash = createHash('sha256')
      let held: Buffer | undefined
      for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
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

// Far longer than an upload goes without writing a byte.
const abandonedMs = 60 * 60_000

/**
 * Removes what an ended process left half written. With PostgreSQL several processes may share the
 * folder, so what was written lately may be a running upload of another.
 */
async function clearAbandoned(staged: string): Promise<void> {
  for (const name of await readdir(staged)) {
    const path = join(staged, name)
    const info = await stat(path).catch(() => undefined)
    if (info && info.mtimeMs < Date.now() - abandonedMs) await rm(path, { force: true })
  }
}

/**
 * Writes a stream to a file, one batch while the next is gathered: a call for each chunk of a
 * request costs more than the writing, and so does a new buffer for each batch.
 */
async function writeStream(
  path: string,
  source: Readable,
  onWritten?: OnWritten,
): Promise<Written> {
  const hash = createHash('sha256')
  let bytes = 0
  let gathered = 0
  let batch = Buffer.allocUnsafeSlow(batchBytes)
  let other = Buffer.allocUnsafeSlow(batchBytes)
  const file = await open(path, 'wx', 0o600)
  let writing: Promise<unknown> = Promise.resolve()
  const write = async () => {
    await writing
    const written = bytes
    // Not `write`, which may write a part and say so only in its answer.
    writing = file.writeFile(batch.subarray(0, gathered)).then(() => onWritten?.(written, path))
    // Until it is awaited a failure here must not count as unhandled.
    writing.catch(() => {})
    ;[batch, other] = [other, batch]
    gathered = 0
  }
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      hash.update(chunk)
      for (let at = 0; at < chunk.length;) {
        const copied = chunk.copy(batch, gathered, at)
        at += copied
        gathered += copied
        bytes += copied
        if (gathered === batchBytes) await write()
      }
    }
    await write()
    await writing
  } finally {
    await writing.catch(() => {})
    await file.close()
  }
  return { sha256: hash.digest('hex'), bytes }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder; there the rename is durable with the file system's journal.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
