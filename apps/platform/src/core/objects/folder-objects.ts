import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObjectStore } from './object-store.ts'
import { knownFiles } from './known-files.ts'
import { openStaging, syncFile } from './staging.ts'
import { inTurns, verified } from './verified-stream.ts'

/** Objects as files: `<folder>/ab/abcdef…`, staged in `<folder>/staged`. */
export async function openFolderObjects(folder: string): Promise<ObjectStore> {
  const pathOf = (sha256: string) => join(folder, sha256.slice(0, 2), sha256)
  const known = knownFiles()
  const size = async (sha256: string) => (await stat(pathOf(sha256)).catch(() => undefined))?.size
  const staging = await openStaging(join(folder, 'staged'), ({ path, sha256 }) => {
    let flushed: Promise<void> | undefined
    const flush = () => {
      flushed ??= syncFile(path)
      // A failure before `keep` awaits it must not count as unhandled.
      flushed.catch(() => {})
      return flushed
    }
    const keep = async () => {
      // Without this a power cut could leave a name with no bytes behind it.
      await flush()
      const place = join(folder, sha256.slice(0, 2))
      const isNew = await mkdir(place, { recursive: true, mode: 0o700 })
      await rename(path, pathOf(sha256))
      await syncFolder(place)
      // A folder's name is an entry of its parent.
      if (isNew !== undefined) await syncFolder(folder)
    }
    return { flush, keep }
  })
  return {
    ...staging,
    read: async (sha256, { isQuick = false } = {}) => {
      const path = pathOf(sha256)
      const file = await stat(path).catch(() => undefined)
      if (!file) return undefined
      const chunks = () => createReadStream(path)
      const stream =
        isQuick && known.has(sha256, file)
          ? inTurns(chunks)
          : verified(chunks, { sha256, onRight: () => known.add(sha256, file) })
      return { stream, bytes: file.size }
    },
    size,
    async *list() {
      for (const place of await readdir(folder)) {
        if (!/^[\da-f]{2}$/.test(place)) continue
        for (const name of await readdir(join(folder, place)))
          if (/^[\da-f]{64}$/.test(name)) yield name
      }
    },
    remove: (sha256) => rm(pathOf(sha256), { force: true }),
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder; there the file system's journal makes the rename durable.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
