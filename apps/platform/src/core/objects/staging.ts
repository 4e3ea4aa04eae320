import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { StartupError } from '../startup-error.ts'
import type { ObjectStore, OnWritten, StagedObject, Written } from './object-store.ts'

const batchBytes = 1024 * 1024

/** Local files on their way into a store. */
export interface Staging extends Pick<ObjectStore, 'stage' | 'stageFile' | 'sweep' | 'ping'> {}

/** A staged file without the parts that only its store can provide. */
export type StagedFile = Omit<StagedObject, 'keep' | 'flush'>

/** Files staged in a folder; `finish` adds how the store keeps one. */
export async function openStaging(
  folder: string,
  finish: (file: StagedFile) => Pick<StagedObject, 'keep' | 'flush'>,
): Promise<Staging> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await clearAbandoned(folder)
  } catch (cause) {
    throw new StartupError(
      `The folder ${folder} cannot be written (${(cause as NodeJS.ErrnoException).code}). Give this user write access or set GROVE_DATA to another folder.`,
      { cause },
    )
  }
  const stageFile: ObjectStore['stageFile'] = async (write) => {
    const path = join(folder, randomUUID())
    const discard = () => rm(path, { force: true })
    const written = await write(path).catch(async (error: unknown) => {
      await discard()
      throw error
    })
    const file = { ...written, path, discard }
    return { ...file, ...finish(file) }
  }
  return {
    stage: (source, onWritten) => stageFile((path) => writeStream(path, source, onWritten)),
    stageFile,
    sweep: () => clearAbandoned(folder),
    ping: async () => {
      const path = join(folder, randomUUID())
      try {
        // A full disk still accepts an empty file.
        await writeFile(path, 'ping', { flag: 'wx', mode: 0o600, flush: true })
      } finally {
        await rm(path, { force: true })
      }
    },
  }
}

// Far longer than an upload goes without writing a byte.
const abandonedMs = 60 * 60_000

/**
 * Removes what an ended process left half written. With PostgreSQL several processes may share the
 * folder, so anything written recently may be another's running upload.
 */
async function clearAbandoned(staged: string): Promise<void> {
  for (const name of await readdir(staged)) {
    const path = join(staged, name)
    const info = await stat(path).catch(() => undefined)
    if (info && info.mtimeMs < Date.now() - abandonedMs) await rm(path, { force: true })
  }
}

/**
 * Writes a stream to a file, one batch while the next is collected: a call for each chunk of a
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
    // Not `write`, which may write only a part and say so only in its result.
    writing = file.writeFile(batch.subarray(0, gathered)).then(() => onWritten?.(written, path))
    // A failure before it is awaited must not count as unhandled.
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

export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
