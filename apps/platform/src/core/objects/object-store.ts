import type { Readable } from 'node:stream'

/**
 * Immutable objects named by the SHA-256 of their bytes, in a folder or in an S3 bucket. A name is
 * visible only after the whole object is stored, so a crash or a cancelled upload leaves nothing
 * half written in sight.
 */
export interface ObjectStore {
  /**
   * Streams to a temporary object. `path` is a local file, to be checked before it is kept. Every
   * staged object must be kept or discarded.
   */
  stage: (source: Readable, onWritten?: OnWritten) => Promise<StagedObject>
  /** The same for a file that `write` creates at the path, and hashes and counts. */
  stageFile: (write: (path: string) => Promise<Written>) => Promise<StagedObject>
  /**
   * Streams an object, or returns undefined if there is none. It is hashed on the way: if its bytes
   * are not the ones that were kept, the stream fails before the last of them. With `isQuick` the
   * check is skipped if the store has just hashed the same file.
   */
  read: (
    sha256: string,
    how?: { isQuick?: boolean },
  ) => Promise<{ stream: Readable; bytes: number } | undefined>
  /** The size of an object in bytes; undefined if there is none. */
  size: (sha256: string) => Promise<number | undefined>
  /** The names of all objects. */
  list: () => AsyncIterable<string>
  remove: (sha256: string) => Promise<void>
  /** Removes what ended processes left half stored. */
  sweep: () => Promise<void>
  /** Rejects if objects cannot be written. */
  ping: () => Promise<void>
}

/** Called as the object grows: this many bytes can be read at its path. */
export type OnWritten = (bytes: number, path: string) => void

export interface Written {
  sha256: string
  bytes: number
}

/** Hashed and counted as the bytes passed. */
export interface StagedObject extends Written {
  path: string
  /** Starts the part of `keep` that has no visible effect; it need not be awaited. */
  flush: () => Promise<void>
  /** Makes the object durable and visible under its SHA-256. */
  keep: () => Promise<void>
  discard: () => Promise<void>
}

/** The storage is unreachable: the same call may succeed later. */
export class ObjectsUnavailableError extends Error {
  override readonly name = 'ObjectsUnavailableError'
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
