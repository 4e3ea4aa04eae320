import { ObjectsUnavailableError, type ObjectStore } from './object-store.ts'

export interface MoveProgress {
  /** Checked so far in this pass. */
  seen: number
  copied: number
  bytes: number
}

/**
 * Copies what the other store lacks, and returns how much that was: 0 copied means that both have the
 * same. Every byte is checked against its hash when it is read and when it is written. It can be
 * stopped at any time: the next run continues from there.
 */
export async function copyMissing(
  from: ObjectStore,
  to: ObjectStore,
  onProgress: (progress: MoveProgress) => void = () => {},
): Promise<MoveProgress> {
  const progress = { seen: 0, copied: 0, bytes: 0 }
  for await (const sha256 of from.list()) {
    const bytes = await from.size(sha256)
    if (bytes !== undefined && bytes !== (await to.size(sha256)))
      if (await copy(from, to, sha256)) {
        progress.copied += 1
        progress.bytes += bytes
      }
    progress.seen += 1
    onProgress({ ...progress })
  }
  return progress
}

/** False if the object was removed meanwhile: nothing refers to it. */
async function copy(from: ObjectStore, to: ObjectStore, sha256: string): Promise<boolean> {
  const object = await from.read(sha256)
  if (!object) return false
  const staged = await to.stage(object.stream)
  try {
    if (staged.sha256 !== sha256)
      throw new ObjectsUnavailableError(`The copy of ${sha256} has other bytes.`)
    await staged.keep()
    return true
  } finally {
    await staged.discard()
  }
}
